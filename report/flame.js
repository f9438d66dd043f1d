// The flame graph of the calling context tree, drawn by d3-flame-graph: width is time, calls or
// allocated bytes, each context below its caller. Click or Enter zooms in; the line under it tells
// about the context in focus and links to its function.
import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
import { choice, el, isDark, leftOut, onTheme, replace, section } from './dom.js';
import { bytes, count, percent, time, times } from './format.js';

const metrics = {
  time: { label: 'Time', show: time, of: (frame) => frame.time },
  calls: { label: 'Calls', show: (value) => times(value, 'call'), of: (frame) => frame.allCalls },
  bytes: { label: 'Allocated bytes', show: bytes, of: (frame) => frame.bytes },
};

// A hue for each file, so that what belongs together looks alike.
function hueOf(number) {
  return Math.round((number * 137.508) % 360);
}

export class Flame {
  constructor(model) {
    this.model = model;
    this.metric = 'time';
    this.cursor = null;
    this.chartElement = el('div', {
      class: 'flame', tabindex: '0', role: 'group', id: 'flame-chart',
      'aria-label': 'Flame graph: arrow keys move, Enter zooms in, Escape zooms out, F opens the function',
      onkeydown: (event) => this.key(event),
    });
    this.input = el('input', {
      type: 'search', placeholder: 'Search in the flame graph', 'aria-label': 'Search in the flame graph',
      spellcheck: 'false', oninput: () => this.search(this.input.value),
    });
    this.found = el('span', { class: 'found', 'aria-live': 'polite' });
    this.details = el('p', { class: 'focus', 'aria-live': 'polite' });
    const options = Object.entries(metrics).map(([key, metric]) => [key, metric.label]);
    this.element = section('flame', 'Flame graph',
      el('p', { class: 'controls' }, choice('Width shows', options, this.metric, (metric) => this.draw(metric)),
        this.input, el('button', { type: 'button', onclick: () => this.reset() }, 'Whole run'), this.found),
      this.details, this.chartElement,
      model.data.frames.left_out > 0 && leftOut(`${times(model.data.frames.left_out, 'calling context')} of `
        + `${count(model.totals.frames)} with the smallest shares are left out; callers' widths include them.`));
    onTheme(() => this.draw());
    this.observer = new ResizeObserver(() => this.resize());
  }

  // Once the element stands in the page.
  start() {
    this.draw();
    this.observer.observe(this.chartElement);
  }

  resize() {
    const width = this.width();
    if (this.chart && Math.abs(width - this.drawnWidth) > 2) this.draw();
  }

  width() {
    return Math.max(200, this.chartElement.clientWidth);
  }

  // The tree for d3-flame-graph: {n: name, v: value, c: children, frame}
  tree() {
    const of = metrics[this.metric].of;
    const { frames } = this.model;
    const root = { n: 'all', v: 0, c: [], frame: null };
    const nodes = new Array(frames.length);
    frames.forEach((frame, i) => {
      if (!frame.flame || of(frame) <= 0) return;
      nodes[i] = { n: this.model.name(frame.functionId), v: of(frame), c: [], frame };
      const above = frame.parent < 0 ? root : nodes[frame.parent];
      if (!above) return;
      above.c.push(nodes[i]);
      if (above === root) root.v += nodes[i].v;
    });
    return root;
  }

  paint(node) {
    if (node.highlight) return isDark() ? '#ff5fd2' : '#f05bd0';
    const frame = node.data.frame;
    if (!frame) return isDark() ? '#4a5262' : '#c9ced8';
    const known = this.model.named.get(frame.functionId);
    const hue = hueOf(known && known.file !== null ? known.file : 0);
    const shade = (frame.functionId * 7) % 12;
    return isDark() ? `hsl(${hue} 38% ${34 + shade}%)` : `hsl(${hue} 62% ${70 + shade}%)`;
  }

  draw(metric = this.metric) {
    this.metric = metric;
    const data = this.tree();
    this.drawnWidth = this.width();
    this.cursor = null;
    replace(this.chartElement);
    this.whole = data.v;
    if (data.v === 0) {
      this.chart = null;
      replace(this.chartElement, el('p', { class: 'nothing' }, this.metric === 'bytes'
        ? 'Nothing was allocated within recorded calls.' : 'No calls were recorded.'));
      replace(this.details);
      return;
    }
    const quiet = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.chart = flamegraph().width(this.drawnWidth).cellHeight(20).inverted(true).minFrameSize(1.5)
      .transitionDuration(quiet ? 0 : 200).selfValue(false).sort((a, b) => b.value - a.value)
      .setColorMapper((node) => this.paint(node)).setLabelHandler((node) => this.label(node))
      .setSearchMatch((node, term) => node.data.n.toLowerCase().includes(term))
      .setSearchHandler((results, sum) => this.sayFound(results, sum))
      .setDetailsHandler(() => {}).onClick((node) => this.focus(node));
    select(this.chartElement).datum(data).call(this.chart);
    this.focus(this.root());
    if (this.input.value) this.search(this.input.value);
  }

  root() {
    return select(this.chartElement).datum();
  }

  label(node) {
    const metric = metrics[this.metric];
    const value = node.data.v;
    return `${node.data.n}: ${metric.show(value)}, ${percent(value, this.whole)}`;
  }

  // Tells about a context, and marks it.
  focus(node) {
    this.cursor = node;
    select(this.chartElement).selectAll('g').classed('cursor', (one) => one === node);
    const frame = node.data.frame;
    if (!frame) {
      replace(this.details, `The whole run: ${metrics[this.metric].show(this.whole)}${this.metric === 'time' ? ' in recorded code' : ''}. `
        + 'A click zooms in.');
      return;
    }
    const site = this.model.siteLocation(frame.siteId);
    replace(this.details, this.model.link(frame.functionId, 'strong'), ` ${this.model.location(frame.functionId)}`,
      site && `, called at ${site}`, `: ${time(frame.time)} (${percent(frame.time, this.frameSum('time'))}), itself `,
      `${time(frame.self_ns)}, ${times(frame.calls, 'call')}`, frame.bytes > 0 && `, ${bytes(frame.bytes)} allocated`);
  }

  frameSum(key) {
    this.sums = this.sums || {};
    if (this.sums[key] === undefined) {
      this.sums[key] = this.model.frames.reduce((sum, one) => sum + (one.flame && one.parent < 0 ? one[key] : 0), 0);
    }
    return this.sums[key];
  }

  search(text) {
    const term = text.trim().toLowerCase();
    if (!this.chart) return;
    if (!term) {
      this.chart.clear();
      this.found.textContent = '';
      return;
    }
    this.chart.search(term);
  }

  sayFound(results, sum) {
    this.found.textContent = results.length === 0 ? 'nothing found'
      : `${times(results.length, 'context')}, ${percent(sum, this.whole)}`;
  }

  reset() {
    if (!this.chart) return;
    this.input.value = '';
    this.search('');
    this.chart.resetZoom();
    this.focus(this.root());
  }

  // Zooms to the largest context of a function.
  showFunction(id) {
    if (!this.chart) this.draw('time');
    let best = null;
    if (this.chart) {
      this.root().each((node) => {
        if (node.data.frame && node.data.frame.functionId === id && (!best || node.data.v > best.data.v)) best = node;
      });
    }
    if (best) this.zoomTo(best);
    this.input.value = this.model.name(id);
    this.search(this.input.value);
    this.chartElement.focus({ preventScroll: true });
    this.element.scrollIntoView();
  }

  zoomTo(node) {
    if (!node.parent) this.chart.resetZoom();
    else this.chart.zoomTo(node);
    this.focus(node);
  }

  key(event) {
    const at = this.cursor;
    if (!this.chart || !at || event.ctrlKey || event.metaKey || event.altKey) return;
    const beside = (step) => {
      const row = at.parent ? at.parent.children : [at];
      return row[row.indexOf(at) + step] || at;
    };
    const moves = {
      ArrowUp: () => at.parent || at,
      ArrowDown: () => (at.children || []).reduce((best, one) => (one.data.v > best.data.v ? one : best),
        (at.children || [at])[0]),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
    };
    if (moves[event.key]) {
      this.focus(moves[event.key]());
      this.reveal();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.zoomTo(at);
    } else if (event.key === 'Escape' || event.key === 'Home') {
      this.reset();
    } else if (event.key === 'f' && at.data.frame) {
      location.hash = `#function-${at.data.frame.functionId}`;
    } else {
      return;
    }
    event.preventDefault();
  }

  reveal() {
    const marked = this.chartElement.querySelector('g.cursor');
    if (marked) marked.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
