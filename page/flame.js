// The flame graph: each context below its caller, as wide as its CPU time, its waiting, its calls or
// what it allocated. It can be turned around (what is dearest first, its callers below), be drawn
// around one function (sandwich), be of one thread, and leave functions out. The boxes are SVG
// (flame_boxes.js), the trees are made in tree.js. A click or Enter zooms in; the line above tells
// about the context in focus and has what can be done with it.
import { fillOf } from './colours.js';
import { choice, el, isDark, leftOut, onTheme, replace, section } from './dom.js';
import { boxesOf, drawBoxes, ROW } from './flame_boxes.js';
import { bytes, count, percent, time, times } from './format.js';
import { hideTip, showTip, tipLines } from './tip.js';
import { around, foldChains, inverted, LEFT_OUT, metrics, wholeTree } from './tree.js';

const labels = { cpu: 'CPU', wait: 'Waiting', both: 'Both', calls: 'Calls', bytes: 'Allocated' };
const shows = { cpu: time, wait: time, both: time, calls: (value) => times(value, 'call'), bytes };
const views = [['down', 'Callers first'], ['inverted', 'Inverted'], ['sandwich', 'Sandwich']];
const noneOf = { bytes: 'Nothing was allocated within recorded calls.', wait: 'No thread waited within recorded calls, as far as was measured.' };

export class Flame {
  // paint and sign: the fill of a node, and what stands before its name; label: what its tooltip
  // says besides; tree: makes the tree; peer: the flame graph of another run, which follows this
  // one's width, search and zoom; leader: the one that it follows and whose zoom follows its own;
  // compared: with another run; small: rows at most, with a click leading to the address; part: of the run, in words,
  // whose contexts `tree` knows, null: all of it
  constructor(model, { id = 'flame', title = 'Flame graph', paint, sign, label, tree, controls = true, compared = false, small = 0, part = null } = {}) {
    this.model = model;
    this.painted = paint || ((node) => fillOf(model, node.functionId));
    this.sign = sign || (() => '');
    this.more = label || (() => '');
    this.makeTree = tree || ((options) => wholeTree(model, options));
    Object.assign(this, { compared, part });
    Object.assign(this, { peer: null, leader: null, metric: 'cpu', view: 'down', thread: null, small,
      hidden: new Set(), focused: null, sandwiched: null, zoomed: null, cursor: null, term: '' });
    this.build(id, title, controls);
    onTheme(() => this.draw());
    model.onCode(() => this.draw());
    this.observer = new ResizeObserver(() => this.resize());
  }

  build(id, title, controls) {
    this.chartElement = el('div', {
      class: this.small ? 'flame small' : 'flame', tabindex: this.small ? null : '0', role: 'group', id: `${id}-chart`,
      'aria-label': 'Flame graph: arrow keys move, Enter zooms in, Escape zooms out, F opens the function',
      onkeydown: (event) => this.key(event),
      onclick: (event) => this.click(event),
      onpointermove: (event) => this.point(event),
      onpointerleave: hideTip,
    });
    this.input = el('input', {
      type: 'search', placeholder: 'Search', 'aria-label': 'Search in the flame graph', spellcheck: 'false',
      oninput: () => {
        this.search(this.input.value);
        if (this.peer) this.peer.search(this.input.value);
      },
    });
    this.found = el('span', { class: 'found', 'aria-live': 'polite' });
    this.details = el('p', { class: 'focus', 'aria-live': 'polite' });
    this.filters = el('p', { class: 'filters', hidden: true });
    if (this.small) {
      this.element = this.chartElement;
      return;
    }
    const { model } = this;
    const options = Object.entries(labels).filter(([key]) => model.hasWaits || !['wait', 'both'].includes(key));
    this.element = section(id, title, controls && this.controls(options), this.details, this.filters, this.chartElement,
      model.hasLibraries && !this.compared && el('p', { class: 'legend' }, el('span', { class: 'box own' }), 'own code, by file ',
        el('span', { class: 'box library' }), 'libraries and the system; within own code they count as part of it unless all code is shown.'),
      !this.part && model.data.frames.left_out > 0 && leftOut(`${times(model.data.frames.left_out, 'calling context')} of `
        + `${count(model.totals.frames)} with the smallest shares are left out; callers' widths include them.`));
  }

  controls(options) {
    const { model } = this;
    const threads = (model.data.thread_frames || []).map((one) => [one.thread_id, model.threadName(one.thread_id)]);
    return el('p', { class: 'controls' }, choice('Width shows', options, this.metric, (metric) => {
      this.setMetric(metric);
      if (this.peer) this.peer.setMetric(metric);
    }), !this.compared && choice('View', views, this.view, (view) => this.setView(view)),
    !this.part && threads.length > 1 && el('select', { 'aria-label': 'Thread', onchange: (event) => this.setThread(Number(event.target.value)) },
      el('option', { value: '0' }, 'All threads'), threads.map(([id, name]) => el('option', { value: String(id) }, name))),
    this.input, el('button', { type: 'button', onclick: () => this.reset() }, this.part || 'Whole run'), this.found);
  }

  // Once the element stands in the page. All that measure do so before any draws: so the page is laid
  // out once.
  measure() {
    this.measured = Math.max(200, this.chartElement.clientWidth);
  }

  start() {
    this.draw();
    this.observer.observe(this.chartElement);
  }

  resize() {
    this.measure();
    if (Math.abs(this.measured - this.drawnWidth) > 2) this.draw(true);
  }

  setMetric(metric) {
    this.metric = metric;
    this.draw();
  }

  setView(view) {
    this.view = view;
    if (view === 'sandwich' && this.sandwiched === null) {
      const at = this.cursor && this.cursor.functionId;
      const dearest = this.model.shown.reduce((best, one) => (!best || one.cpu_ns > best.cpu_ns ? one : best), null);
      this.sandwiched = at > 0 ? at : dearest ? dearest.id : null;
    }
    this.draw();
  }

  setThread(id) {
    this.thread = (this.model.data.thread_frames || []).find((one) => one.thread_id === id) || null;
    this.draw();
  }

  // ---- drawing ----

  // keep: the zoom stays
  draw(keep = false) {
    if (!this.measured) return;
    this.valueOf = (node) => metrics[this.metric](node.all);
    const whole = this.makeTree({ thread: this.thread, hidden: this.hidden, focus: this.focused });
    this.whole = this.valueOf(whole);
    this.drawnWidth = this.measured;
    const path = keep && this.zoomed ? this.pathOf(this.zoomed) : [];
    this.tree = this.compared || this.view !== 'down' ? whole : foldChains(whole, this.valueOf);
    this.callers = null;
    if (this.view === 'inverted') this.tree = inverted(whole);
    if (this.view === 'sandwich' && this.sandwiched !== null) {
      const { callers, callees } = around(whole, this.sandwiched);
      this.tree = callees;
      this.callers = callers;
    }
    this.zoomed = this.tree;
    for (const id of path) this.zoomed = this.zoomed.children.find((one) => one.functionId === id) || this.zoomed;
    this.sayFilters();
    this.place();
    this.tell(this.zoomed);
    if (this.term) this.search(this.term);
  }

  place() {
    if (this.valueOf(this.tree) <= 0) {
      this.boxes = [];
      replace(this.chartElement, el('p', { class: 'nothing' }, noneOf[this.metric] || 'No calls were recorded.'));
      return;
    }
    this.boxes = boxesOf(this.tree, this.zoomed, this.valueOf, this.drawnWidth, this.callers);
    if (this.small) this.boxes = this.boxes.filter((box) => box.row < this.small);
    drawBoxes(this.chartElement, this.boxes, this.drawnWidth, {
      name: (node) => this.nameOf(node), fill: (node, found) => this.fill(node, found), found: (node) => this.isFound(node), own: (node) => node === this.zoomed,
      waits: this.metric === 'both' ? (node) => (node.all[1] / Math.max(1, metrics.both(node.all))) : null });
    this.mark();
  }

  nameOf(node) {
    if (node.functionId === 0) return 'all';
    const first = node.chain ? `${this.model.name(node.chain[0])} … ` : '';
    return this.sign(node, this.metric) + first + this.model.name(node.functionId);
  }

  fill(node, found) {
    if (found) return isDark() ? '#ad2f8c' : '#f05bd0';
    if (node.functionId === 0) return isDark() ? '#4a5262' : '#c9ced8';
    return this.painted(node, this.metric);
  }

  mark() {
    if (this.small) return;
    for (const box of this.boxes) box.group.classList.toggle('cursor', box.node === this.cursor);
  }

  // ---- what is at the pointer, and in focus ----

  boxAt(event) {
    const group = event.target.closest('g');
    return group && this.boxes.find((box) => box.group === group);
  }

  point(event) {
    const box = this.boxAt(event);
    if (!box) {
      hideTip();
      return;
    }
    showTip(event, tipLines(box.node.functionId === 0 ? this.part || 'The whole run' : this.model.fullName(box.node.functionId), this.lines(box.node)));
  }

  lines(node) {
    const { model } = this;
    const [cpu, wait, preempted, calls, size] = node.all;
    const whole = this.tree.parent === null && this.view !== 'sandwich' ? this.tree.all : null;
    const of = (value, i) => (whole && whole[i] ? ` (${percent(value, whole[i])})` : '');
    const [selfCpu, selfWait] = node.self;
    const self = this.view !== 'inverted' && node.functionId > 0;
    return [model.location(node.functionId), node.chain && ['by way of', node.chain.slice(0, -1).map((id) => model.name(id)).join(' => ')],
      ['CPU', `${time(cpu)}${of(cpu, 0)}${self ? `, itself ${time(selfCpu)}` : ''}`],
      wait > 0 && ['waiting', `${time(wait)}${of(wait, 1)}${self && selfWait ? `, itself ${time(selfWait)}` : ''}`],
      preempted > 0 && ['put aside', time(preempted)], ['calls', count(self ? node.self[3] : calls)],
      size > 0 && ['allocated', bytes(size)], this.more(node, this.metric)];
  }

  // Tells about a node, and marks it.
  tell(node) {
    this.cursor = node;
    if (this.boxes) this.mark();
    if (this.small) return;
    const id = node.functionId;
    if (id <= 0) {
      const inCode = this.metric === 'calls' || this.metric === 'bytes' ? '' : ' in recorded code';
      const what = this.thread ? this.model.threadName(this.thread.thread_id) : this.part || 'The whole run';
      replace(this.details, id === LEFT_OUT ? 'Contexts that this page leaves out: ' : `${what}: `,
        `${shows[this.metric](this.valueOf(node))}${inCode}. A click zooms in.`);
      return;
    }
    const { model } = this;
    const frame = this.part ? null : model.frames[node.place];
    const site = frame && this.view === 'down' ? model.siteLocation(frame.siteId) : '';
    const act = (text, title, action) => el('button', { type: 'button', class: 'act', title, onclick: action }, text);
    replace(this.details, model.link(id, 'strong'), ` ${model.location(id)}`, site && `, called at ${site}`, `: `,
      this.lines(node).slice(1).filter(Boolean).map((line, i) => [i > 0 && ', ', Array.isArray(line) ? `${line[0]} ${line[1]}` : line]), ' ',
      !this.compared && el('span', { class: 'acts' },
        act('Focus', 'Only what is within this function, or around it', () => this.setFocus(id)),
        act('Hide', 'Leave this function out, with all below it', () => this.hide(id)),
        act('Sandwich', 'Its callers above, its callees below', () => this.sandwich(id))));
  }

  setFocus(id) {
    this.focused = id;
    this.draw();
  }

  hide(id) {
    this.hidden.add(id);
    this.draw();
  }

  sandwich(id) {
    this.sandwiched = id;
    this.view = 'sandwich';
    for (const button of this.element.querySelectorAll('[aria-label="View"] button')) {
      button.setAttribute('aria-pressed', String(button.dataset.value === 'sandwich'));
    }
    this.draw();
  }

  // What narrows the picture, each with a button that takes it away.
  sayFilters() {
    const chip = (text, action) => el('button', { type: 'button', class: 'chip', title: 'Take this away', onclick: () => {
      action();
      this.draw();
    } }, text, ' ✕');
    const chips = [
      this.focused !== null && chip(`Focus: ${this.model.name(this.focused)}`, () => { this.focused = null; }),
      ...[...this.hidden].map((id) => chip(`Hidden: ${this.model.name(id)}`, () => this.hidden.delete(id)))].filter(Boolean);
    if (this.view === 'sandwich' && this.sandwiched !== null) chips.unshift(el('span', null, 'Around ', this.model.link(this.sandwiched, 'strong')));
    if (this.thread && this.thread.rest.some((value) => value > 0)) {
      chips.push(el('span', { class: 'quiet' }, `Not shown of this thread: ${time(this.thread.rest[0])} CPU, ${times(this.thread.rest[3], 'call')} in contexts that are left out.`));
    }
    this.filters.hidden = chips.length === 0;
    replace(this.filters, chips);
  }

  // ---- search ----

  isFound(node) {
    return this.term !== '' && (this.nameOf(node).toLowerCase().includes(this.term)
      || (node.chain || []).some((id) => this.model.name(id).toLowerCase().includes(this.term)));
  }

  search(text) {
    this.term = text.trim().toLowerCase();
    for (const box of this.boxes || []) box.rect.setAttribute('fill', this.fill(box.node, this.isFound(box.node)));
    if (!this.term || !this.tree) {
      this.found.textContent = '';
      return;
    }
    let number = 0, sum = 0;
    const walk = (node, inside) => {
      const here = node.functionId !== 0 && this.isFound(node) && this.valueOf(node) > 0;
      if (here) number++;
      if (here && !inside) sum += this.valueOf(node);
      for (const one of node.children) walk(one, inside || here);
    };
    walk(this.tree, false);
    this.found.textContent = number === 0 ? 'nothing found' : `${times(number, 'context')}, ${percent(sum, this.valueOf(this.tree))}`;
  }

  // ---- zoom ----

  // The functions from the outermost context on.
  pathOf(node) {
    const path = [];
    for (let at = node; at && at.parent; at = at.parent) path.unshift(at.functionId);
    return path;
  }

  zoomTo(node) {
    this.zoomed = node;
    this.place();
    this.tell(node);
    const other = this.peer || this.leader;
    if (other && !this.following) other.follow(this.pathOf(node).map((id) => this.model.name(id)));
  }

  // Zooms to the context of those names, as far down as there is one.
  follow(path) {
    let node = this.tree;
    for (const name of path) {
      const next = node && node.children.find((one) => this.model.name(one.functionId) === name);
      if (!next) break;
      node = next;
    }
    this.following = true;
    if (node) this.zoomTo(node);
    this.following = false;
  }

  reset() {
    if (this.peer) this.peer.reset();
    this.input.value = '';
    this.term = '';
    this.focused = null;
    this.hidden.clear();
    this.draw();
  }

  // Zooms to the largest context of a function.
  showFunction(id) {
    Object.assign(this, { view: 'down', focused: null });
    this.hidden.clear();
    for (const button of this.element.querySelectorAll('[aria-label="View"] button')) {
      button.setAttribute('aria-pressed', String(button.dataset.value === 'down'));
    }
    this.draw();
    let best = null;
    const walk = (node) => {
      if ((node.functionId === id || (node.chain && node.chain.includes(id))) && (!best || this.valueOf(node) > this.valueOf(best))) best = node;
      node.children.forEach(walk);
    };
    walk(this.tree);
    if (best) this.zoomTo(best);
    this.input.value = this.model.name(id);
    this.search(this.input.value);
    this.chartElement.focus({ preventScroll: true });
    this.element.scrollIntoView();
  }

  // ---- hands ----

  click(event) {
    const box = this.boxAt(event);
    if (!box) return;
    hideTip();
    if (this.small) location.hash = box.node.functionId > 0 && this.model.anchor(box.node.functionId) || '#flame';
    else if (this.callers && box.above && box.node.parent) this.sandwich(box.node.functionId);
    else this.zoomTo(box.node);
  }

  key(event) {
    const at = this.cursor;
    if (!at || this.small || event.ctrlKey || event.metaKey || event.altKey) return;
    const drawn = (node) => this.boxes.some((box) => box.node === node);
    const byValue = (nodes) => nodes.slice().sort((a, b) => this.valueOf(b) - this.valueOf(a)).filter(drawn);
    const beside = (step) => {
      const row = at.parent ? byValue(at.parent.children) : [at];
      return row[row.indexOf(at) + step] || at;
    };
    const moves = { ArrowUp: () => at.parent || at, ArrowDown: () => byValue(at.children)[0] || at, ArrowLeft: () => beside(-1), ArrowRight: () => beside(1) };
    if (moves[event.key]) {
      this.tell(moves[event.key]());
      this.reveal();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.zoomTo(at);
    } else if (event.key === 'Escape' || event.key === 'Home') {
      this.reset();
    } else if (event.key === 'f' && at.functionId > 0) {
      location.hash = this.model.anchor(at.functionId) || location.hash;
    } else {
      return;
    }
    event.preventDefault();
  }

  reveal() {
    const marked = this.boxes.find((box) => box.node === this.cursor);
    if (!marked) return;
    const top = marked.row * ROW;
    if (top < this.chartElement.scrollTop || top + ROW > this.chartElement.scrollTop + this.chartElement.clientHeight) {
      this.chartElement.scrollTop = top - this.chartElement.clientHeight / 2;
    }
  }
}
