// The flame graph of the calling context tree, drawn by d3-flame-graph: width is time, calls or
// allocated bytes, each context below its caller. Click or Enter zooms in; the line under it tells
// about the context in focus and links to its function.
import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
import { fillOf } from './colours.js';
import { choice, el, isDark, leftOut, onTheme, replace, section } from './dom.js';
import { bytes, count, percent, time, times } from './format.js';

const metrics = {
  time: { label: 'Time', show: time, of: (frame) => frame.time },
  calls: { label: 'Calls', show: (value) => times(value, 'call'), of: (frame) => frame.allCalls },
  bytes: { label: 'Allocated bytes', show: bytes, of: (frame) => frame.bytes },
};

export class Flame {
  // paint and sign: the fill of a context, and what stands before its name; peer: the flame graph of
  // another run, which follows this one's width, search and zoom; leader: the one that it follows
  // and whose zoom follows its own; frames: the contexts, where they are not the model's
  constructor(model, { id = 'flame', title = 'Flame graph', paint, sign, label, frames, controls = true } = {}) {
    this.model = model;
    this.frames = frames || model.frames;
    this.painted = paint || ((frame) => fillOf(model, frame.functionId));
    this.sign = sign || (() => '');
    this.more = label || (() => '');
    this.peer = null;
    this.leader = null;
    this.metric = 'time';
    this.cursor = null;
    this.chartElement = el('div', {
      class: 'flame', tabindex: '0', role: 'group', id: `${id}-chart`,
      'aria-label': 'Flame graph: arrow keys move, Enter zooms in, Escape zooms out, F opens the function',
      onkeydown: (event) => this.key(event),
    });
    this.input = el('input', {
      type: 'search', placeholder: 'Search in the flame graph', 'aria-label': 'Search in the flame graph',
      spellcheck: 'false', oninput: () => {
        this.search(this.input.value);
        if (this.peer) this.peer.search(this.input.value);
      },
    });
    this.found = el('span', { class: 'found', 'aria-live': 'polite' });
    this.details = el('p', { class: 'focus', 'aria-live': 'polite' });
    const options = Object.entries(metrics).map(([key, metric]) => [key, metric.label]);
    this.element = section(id, title,
      controls && el('p', { class: 'controls' }, choice('Width shows', options, this.metric, (metric) => {
        this.draw(metric);
        if (this.peer) this.peer.draw(metric);
      }),
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
    const { frames } = this;
    const root = { n: 'all', v: 0, c: [], frame: null };
    const nodes = new Array(frames.length);
    frames.forEach((frame, i) => {
      if (!frame.flame || of(frame) <= 0) return;
      nodes[i] = { n: this.sign(frame, this.metric) + this.model.name(frame.functionId), v: of(frame), c: [], frame };
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
    return this.painted(frame, this.metric);
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
      .setDetailsHandler(() => {}).onClick((node) => {
        this.focus(node);
        const other = this.peer || this.leader;
        if (other && !this.following) other.zoomToPath(this.pathOf(node));
      });
    select(this.chartElement).datum(data).call(this.chart);
    this.settle();
    this.focus(this.root());
    if (this.input.value) this.search(this.input.value);
  }

  // Boxes at once where they belong: only zooming moves them. The view box lets print scale them.
  settle() {
    select(this.chartElement).selectAll('g').each(function (node) {
      const group = select(this);
      group.select('rect').interrupt().attr('width', group.attr('width'));
      group.select('foreignObject div').interrupt().text(node.data.n);
    });
    const drawing = this.chartElement.querySelector('svg');
    drawing.setAttribute('viewBox', `0 0 ${drawing.getAttribute('width')} ${drawing.getAttribute('height')}`);
  }

  root() {
    return select(this.chartElement).datum();
  }

  label(node) {
    const metric = metrics[this.metric];
    const value = node.data.v;
    return `${node.data.n}: ${metric.show(value)}, ${percent(value, this.whole)}${node.data.frame ? this.more(node.data.frame, this.metric) : ''}`;
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
      `${time(frame.self_ns)}, ${times(frame.calls, 'call')}`, frame.bytes > 0 && `, ${bytes(frame.bytes)} allocated`, this.more(frame, this.metric));
  }

  frameSum(key) {
    this.sums = this.sums || {};
    if (this.sums[key] === undefined) {
      this.sums[key] = this.frames.reduce((sum, one) => sum + (one.flame && one.parent < 0 ? one[key] : 0), 0);
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

  // The names from the outermost context on.
  pathOf(node) {
    const path = [];
    for (let at = node; at && at.data.frame; at = at.parent) path.unshift(this.model.name(at.data.frame.functionId));
    return path;
  }

  // Zooms to the context of those names, as far down as there is one.
  zoomToPath(path) {
    if (!this.chart) return;
    let node = this.root();
    for (const name of path) {
      const next = (node.children || []).filter((one) => this.model.name(one.data.frame.functionId) === name)
        .sort((a, b) => b.data.v - a.data.v)[0];
      if (!next) break;
      node = next;
    }
    this.following = true;
    this.zoomTo(node);
    this.following = false;
  }

  reset() {
    if (this.peer) this.peer.reset();
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
      location.hash = this.model.anchor(at.data.frame.functionId) || location.hash;
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
