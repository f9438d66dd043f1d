// The call graph between functions, files or modules (graph_boxes.js), laid out in layers by dagre and drawn as SVG: callers
// above callees, the width of a line by the number of calls, the shade of a box by its self time.
//
// A box that is dragged, or moved by keys, is pinned: it stays where it was put (graph_arrangement.js), and dagre places the
// others as if it were not. A group, the file or the module that a box is part of, collapses to one box and opens again.
import { graphlib, layout } from '@dagrejs/dagre';
import { choice, el, leftOut, replace, section, svg } from './dom.js';
import { count, percent, time, times } from './format.js';
import { Arrangement, PLACE_MAX } from './graph_arrangement.js';
import { Boxes, kinds, kindOf } from './graph_boxes.js';
import { Table } from './table.js';
import { fitted } from './words.js';

const HIGH = 40, MARGIN = 8;
const SMALLEST = 0.85; // of its size: a wider drawing scrolls, so that it can be read
const DRAG_MIN = 4; // px: less is a click
const STEP = 8, FAR = 40; // px, that arrow keys move a box

// A smooth path: through the middles between the points, bent at the points.
function curve(points) {
  const at = (point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
  const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  let path = `M${at(points[0])}`;
  for (let i = 1; i < points.length - 1; i++) {
    const next = i === points.length - 2 ? points[i + 1] : middle(points[i], points[i + 1]);
    path += `Q${at(points[i])} ${at(next)}`;
  }
  return points.length > 2 ? path : `${path}L${at(points[points.length - 1])}`;
}

// Where the line from a box's middle to a point leaves the box.
function border(item, to) {
  const x = to.x - item.x, y = to.y - item.y;
  const part = Math.min(1, item.width / 2 / Math.max(1e-6, Math.abs(x)), HIGH / 2 / Math.max(1e-6, Math.abs(y)));
  return { x: item.x + x * part, y: item.y + y * part };
}

// Is one of a line's boxes not where dagre laid it out?
const isMoved = ({ from, to }) => [from, to].some((one) => one.x !== one.home.x || one.y !== one.home.y);

export class CallGraph {
  constructor(model, table) {
    this.model = model;
    this.table = table; // of functions, to be searched on a click
    this.boxes = new Boxes(model);
    this.arrangement = new Arrangement(model.run.get('run_id'), Object.keys(kinds));
    this.items = new Map(); // what is drawn, by key
    this.canvas = el('div', { class: 'graph', id: 'graph-drawing', tabindex: '0', role: 'group',
      'aria-label': 'Call graph; scroll with the arrow keys. In a box, they move it; p pins, minus collapses its group, plus opens it' });
    this.status = el('p', { class: 'graph-status', 'aria-live': 'polite' });
    this.note = el('div');
    this.anew = el('button', { type: 'button', id: 'graph-anew', title: 'Unpin all boxes and open all groups', onclick: () => this.startAnew() }, 'Arrange anew');
    this.kind = this.arrangement.kind || (model.mapped.size > 0 ? 'module' : model.data.file_nodes.rows.length > 1 ? 'file' : 'function');
    this.element = section('graph', 'Call graph',
      el('p', { class: 'controls' }, choice('Boxes are', Object.entries(kinds).map(([key, one]) => [key, one.label]), this.kind, (chosen) => {
        this.kind = chosen;
        this.keep('');
        this.draw();
      }), this.anew),
      this.canvas, this.status, this.note);
    model.onCode(() => this.draw());
    this.draw();
  }

  get arranged() {
    return this.arrangement.of(this.kind);
  }

  // Keeps the arrangement, and says what happened.
  keep(what) {
    this.arrangement.kind = this.kind;
    const kept = this.arrangement.save();
    const lost = kept || !what ? '' : ' This browser keeps nothing for this page: the arrangement holds until it is closed.';
    this.status.textContent = what + lost;
  }

  startAnew() {
    this.arranged.places.clear();
    this.arranged.collapsed.clear();
    this.keep('All boxes are where they were, and all groups are open.');
    this.draw();
  }

  // ---- drawing ----

  draw() {
    const chosen = this.boxes.choose(this.kind, this.arranged.collapsed);
    this.items = new Map();
    replace(this.note);
    this.anew.hidden = this.arranged.places.size + this.arranged.collapsed.size === 0;
    if (chosen.boxes.length === 0) {
      replace(this.canvas, el('p', { class: 'nothing' }, 'No calls were recorded.'));
      return;
    }
    const graph = this.layOut(chosen);
    const most = Math.max(1, ...chosen.boxes.map((one) => one.self_ns));
    for (const one of chosen.boxes) this.addItem(one, graph.node(one.key), most);
    const lines = chosen.lines.map((line) => this.line(line, graph.edge(line.from, line.to).points));
    this.drawing = svg('svg', { role: 'group', 'aria-label': `Call graph of ${times(chosen.boxes.length, 'box', 'boxes')}` },
      svg('defs', null, svg('marker', { id: 'arrow', viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse' },
        svg('path', { d: 'M0 0L10 5L0 10z', class: 'arrow' }))),
      lines, [...this.items.values()].map((item) => item.element));
    this.fit();
    replace(this.canvas, this.drawing);
    replace(this.note, this.words(chosen));
  }

  layOut(chosen) {
    const graph = new graphlib.Graph();
    graph.setGraph({ rankdir: 'TB', nodesep: 22, ranksep: 44, marginx: MARGIN, marginy: MARGIN, acyclicer: 'greedy' });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const one of chosen.boxes) graph.setNode(one.key, { width: Math.max(128, Math.min(220, 7.6 * one.name.length + 18)), height: HIGH });
    for (const line of chosen.lines) graph.setEdge(line.from, line.to, { weight: 1 + Math.round(Math.log10(line.calls + 1)) });
    layout(graph);
    return graph;
  }

  // As large as what is in it. Lines may lead around boxes, to the left of all.
  fit() {
    const items = [...this.items.values()];
    const bends = items.flatMap((one) => one.lines).filter((one) => !isMoved(one)).flatMap((one) => one.points);
    const left = Math.floor(Math.min(0, ...bends.map((one) => one.x - MARGIN)));
    const top = Math.floor(Math.min(0, ...bends.map((one) => one.y - MARGIN)));
    const width = Math.ceil(Math.max(...items.map((one) => one.x + one.width / 2), ...bends.map((one) => one.x)) + MARGIN) - left;
    const height = Math.ceil(Math.max(...items.map((one) => one.y + HIGH / 2), ...bends.map((one) => one.y)) + MARGIN) - top;
    for (const [name, value] of [['width', width], ['height', height], ['viewBox', `${left} ${top} ${width} ${height}`]]) this.drawing.setAttribute(name, value);
    this.drawing.style.setProperty('--least', `${Math.ceil(SMALLEST * width)}px`);
  }

  addItem(one, { x, y, width }, most) {
    const item = { one, x, y, width, home: { x, y }, lines: [] };
    const place = this.arranged.places.get(one.key);
    if (place) [item.x, item.y] = place;
    item.element = this.box(item, most);
    this.items.set(one.key, item);
    this.show(item);
  }

  isPinned(item) {
    return this.arranged.places.has(item.one.key);
  }

  // Puts a box and its lines where they are.
  show(item) {
    item.element.setAttribute('transform', `translate(${item.x.toFixed(1)} ${item.y.toFixed(1)})`);
    item.element.classList.toggle('pinned', this.isPinned(item));
    item.pin.setAttribute('aria-pressed', String(this.isPinned(item)));
    for (const line of item.lines) this.showLine(line);
  }

  showLine(line) {
    const { element, from, to, points } = line;
    element.setAttribute('d', curve(isMoved(line) ? [border(from, to), border(to, from)] : points));
  }

  line(one, points) {
    const line = { from: this.items.get(one.from), to: this.items.get(one.to), points };
    line.element = svg('path', { class: 'edge', 'stroke-width': (0.8 + Math.log10(one.calls + 1) / 2.2).toFixed(2), 'marker-end': 'url(#arrow)' },
      svg('title', null, `${one.caller} calls ${one.callee}: ${times(one.calls, 'call')}${one.callees === null || this.kind === 'function' ? '' : ` of ${times(one.callees, 'function')}`}, `
        + time(one.time_ns)));
    for (const item of [line.from, line.to]) item.lines.push(line);
    this.showLine(line);
    return line.element;
  }

  box(item, most) {
    const { one, width } = item;
    const whole = this.model.totals.self_ns;
    const what = one.kind === 'function' ? times(one.calls, 'call') : `${times(one.functions, 'function')} called, ${times(one.calls, 'call')} (${count(one.inside)} from within)`;
    const size = { x: -width / 2, y: -HIGH / 2, width, height: HIGH, rx: 5 };
    const shade = svg('rect', { ...size, class: 'shade' });
    shade.style.opacity = (0.65 * Math.sqrt(Math.max(0, one.self_ns) / most)).toFixed(3);
    item.link = svg('a', { href: (one.kind === 'function' && this.model.anchor(one.id)) || '#functions',
      onclick: (event) => this.click(event, item), onkeydown: (event) => this.key(event, item), ondragstart: (event) => event.preventDefault() },
    svg('title', null, `${one.name}${one.group ? ` (${one.kind})` : ''}: ${what}, self ${time(one.self_ns)}`),
    svg('rect', { ...size, class: 'node' }), shade,
    svg('text', { y: -3, class: 'name' }, fitted(one.name, width - 10)),
    svg('text', { y: 12, class: 'under' }, `${time(one.self_ns)}, ${percent(one.self_ns, whole)}`));
    item.pin = this.sign(-width / 2, 'pin', `Pin ${one.name}, or unpin it`, svg('circle', { r: 3.5 }), () => this.togglePin(item));
    const group = one.up && `${kindOf(one.up)} ${this.boxes.name(one.up, this.groupId(one.up))}`;
    return svg('g', { class: `box ${one.group ? 'group' : one.kind}`, name: one.name, 'data-key': one.key, onpointerdown: (event) => this.press(event, item) },
      item.link, item.pin,
      one.up && this.sign(width / 2 - (one.group ? 18 : 0), 'collapse', `Collapse the ${group} to one box`, svg('path', { d: 'M-3.5 0H3.5' }), () => this.collapse(item)),
      one.group && this.sign(width / 2, 'open', `Open the ${one.kind} ${one.name}`, svg('path', { d: 'M-3.5 0H3.5M0 -3.5V3.5' }), () => this.open(item)));
  }

  groupId(key) {
    const row = this.boxes.rows[kindOf(key)].get(key);
    return row ? row.id : key.slice(key.indexOf(':') + 1) || null;
  }

  // A small button on a box's upper edge. Keys do the same, so it is no stop of the Tab key.
  sign(x, name, label, shape, act) {
    return svg('g', { class: `sign ${name}`, role: 'button', 'aria-label': label, transform: `translate(${x} ${-HIGH / 2})`,
      onpointerdown: (event) => event.stopPropagation(), onclick: act }, svg('title', null, label), svg('circle', { r: 8, class: 'around' }), shape);
  }

  // ---- arranging ----

  // A box's middle where it is not outside.
  moveTo(item, x, y) {
    item.x = Math.round(Math.min(PLACE_MAX, Math.max(item.width / 2 + MARGIN / 2, x)));
    item.y = Math.round(Math.min(PLACE_MAX, Math.max(HIGH / 2 + MARGIN / 2, y)));
    this.show(item);
  }

  pin(item) {
    this.arranged.places.delete(item.one.key); // the latest come last
    this.arranged.places.set(item.one.key, [item.x, item.y]);
    this.anew.hidden = false;
    this.keep(`${item.one.name} is pinned.`);
    this.show(item);
    this.fit();
  }

  togglePin(item) {
    if (!this.isPinned(item)) {
      this.pin(item);
      return;
    }
    this.arranged.places.delete(item.one.key);
    this.keep(`${item.one.name} is no longer pinned.`);
    this.draw();
    this.focus(item.one.key);
  }

  collapse(item) {
    const group = item.one.up;
    if (!group) return;
    this.arranged.collapsed.add(group);
    this.draw();
    const box = this.items.get(group);
    if (box) this.keep(`${box.one.name}: ${times(box.one.members, this.kind)} are one box.`);
    this.focus(group);
  }

  open(item) {
    if (!item.one.group) return;
    this.arranged.collapsed.delete(item.one.key);
    this.keep(`${item.one.name} is open.`);
    this.draw();
    this.focus([...this.items.values()].find((one) => one.one.up === item.one.key)?.one.key);
  }

  focus(key) {
    this.items.get(key)?.link.focus();
  }

  // From the pointer's place on the screen to that in the drawing.
  place(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.drawing.getScreenCTM().inverse());
  }

  press(event, item) {
    if (event.button !== 0) return;
    const start = this.place(event), from = { x: item.x, y: item.y };
    const move = (moved) => {
      const at = this.place(moved);
      if (!this.dragged && Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) < DRAG_MIN) return;
      if (!this.dragged) item.element.parentElement.append(item.element); // above the others
      this.dragged = true;
      this.moveTo(item, from.x + at.x - start.x, from.y + at.y - start.y);
    };
    const end = (ended) => {
      for (const [type, handler] of listeners) removeEventListener(type, handler);
      if (!this.dragged) return;
      if (ended.type === 'pointerup') this.pin(item);
      else this.moveTo(item, from.x, from.y);
    };
    const listeners = [['pointermove', move], ['pointerup', end], ['pointercancel', end]];
    this.dragged = false;
    for (const [type, handler] of listeners) addEventListener(type, handler);
  }

  click(event, item) {
    if (this.dragged) event.preventDefault(); // it ended a drag
    else if (item.one.kind !== 'function') this.table.find(item.one.kind === 'file' || this.model.mapped.size > 0 ? item.one.name : '');
    this.dragged = false;
  }

  key(event, item) {
    const step = event.shiftKey ? FAR : STEP;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const actions = { p: () => this.togglePin(item), '-': () => this.collapse(item), '+': () => this.open(item), '=': () => this.open(item) };
    this.dragged = false;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) {
      this.moveTo(item, item.x + moves[event.key][0], item.y + moves[event.key][1]);
      this.pin(item);
    } else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  }

  // ---- words ----

  words(chosen) {
    const { label, one, group, time: timeLabel } = kinds[this.kind];
    const columns = [
      { key: 'caller', label: 'From', text: (row) => row.caller, show: (row) => row.caller },
      { key: 'callee', label: 'To', text: (row) => row.callee, show: (row) => row.callee },
      { key: 'calls', label: 'Calls', number: true, show: (row) => count(row.calls) },
      this.kind !== 'function' && { key: 'callees', label: 'Functions called', number: true, show: (row) => (row.callees === null ? '' : count(row.callees)) },
      { key: 'time_ns', label: timeLabel, number: true, show: (row) => time(row.time_ns) },
    ].filter(Boolean);
    const lead = `Self time, waiting included, and its share; the stronger the colour, the more. A click ${this.kind === 'function' ? 'goes to the function' : 'lists the functions'}; `
      + `drag a box to put it elsewhere.${group ? ` The minus on a box collapses its ${group} to one box.` : ''}`;
    const most = this.kind === 'function' ? `the ${times(chosen.boxes.length, 'box', 'boxes')} with the most time and calls`
      : `the ${label.toLowerCase()} with the most self time`;
    return [el('p', { class: 'legend' }, lead),
      (chosen.left.boxes > 0 || chosen.left.lines > 0) && leftOut(`Drawn are ${most} and the lines with the most calls; left out are `
        + `${times(chosen.left.boxes, one)} and ${times(chosen.left.lines, 'line')}.`),
      chosen.between.length > 0 && el('details', null, el('summary', null, 'The same as a table'),
        new Table({ columns, rows: chosen.between, sort: 'calls', label: 'Calls between them', search: 'Search', page: 30 }).element)];
  }
}
