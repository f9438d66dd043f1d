// The timeline: one lane a thread, calls nested, waits for locks and notes marked; live memory is
// plotted under it on the same axis (memory_plot.js). Drag pans, shift and drag zooms to what was
// dragged over, the wheel zooms while the timeline has the focus; keys do all of it.
import { el, leftOut, onTheme, replace, section } from './dom.js';
import { count, time, times, visible } from './format.js';
import { MemoryPlot } from './memory_plot.js';
import { objects } from './model.js';
import { GAP, GUTTER, HEAD, Painter, ROW } from './timeline_draw.js';

const LEAST_NS = 50; // the narrowest view
const HEIGHT_MAX = 560; // px
const ROWS_MAX = 400; // of a lane

// The calls of a lane in arrays, from its numbers (cli/report/report_timeline.c).
function readLane(model, data) {
  const size = data.data.length / 5;
  const lane = { thread: data.thread_id, calls: data.calls, least: data.least_ns, ids: [], depths: [],
    functions: [], enters: [], durations: [], rows: 1, base: 0, tooDeep: 0, notes: [], waits: [] };
  let id = 0, enter = 0;
  for (let i = 0; i < size; i++) {
    const [step, depth, functionId, later, duration] = data.data.slice(5 * i, 5 * i + 5);
    id += step;
    enter += later;
    if (depth >= ROWS_MAX) {
      lane.tooDeep++;
      continue;
    }
    lane.ids.push(id);
    lane.depths.push(depth);
    lane.functions.push(functionId);
    lane.enters.push(enter);
    lane.durations.push(duration);
  }
  // A forked child goes on within its parent's calls: its rows begin at its own outermost.
  lane.base = lane.depths.reduce((least, depth) => Math.min(least, depth), lane.depths[0] || 0);
  lane.depths = lane.depths.map((depth) => depth - lane.base);
  lane.rows = lane.depths.reduce((most, depth) => Math.max(most, depth + 1), 1);
  const thread = model.threadById.get(data.thread_id);
  lane.start = thread ? thread.start_ns : 0;
  lane.end = thread ? thread.end_ns : model.totals.end_ns;
  lane.name = model.threadName(data.thread_id);
  return lane;
}

export class Timeline {
  // name: of the run, where the page has more than one; end: of the time shown, where it is not the run's
  constructor(model, { name = '', end = 0 } = {}) {
    this.model = model;
    this.suffix = name ? `-${name.toLowerCase()}` : '';
    this.title = name ? `Timeline of ${name}` : 'Timeline';
    this.lanes = model.data.lanes.map((lane) => readLane(model, lane)).sort((a, b) => a.start - b.start);
    const byThread = new Map(this.lanes.map((lane) => [lane.thread, lane]));
    this.notes = objects(model.data.notes);
    for (const note of this.notes) if (byThread.has(note.thread_id)) byThread.get(note.thread_id).notes.push(note);
    this.waits = objects(model.data.lock_waits);
    for (const wait of this.waits) if (byThread.has(wait.thread_id)) byThread.get(wait.thread_id).waits.push(wait);
    this.slowest = new Map(objects(model.data.slowest).map((call) => [call.function_id, call]));
    let top = 0;
    for (const lane of this.lanes) {
      lane.top = top;
      lane.height = GAP + lane.rows * ROW + 6;
      top += lane.height;
    }
    this.total = top;
    this.end = Math.max(1, end, model.totals.end_ns, ...this.lanes.map((lane) => lane.end || 0));
    this.view = { from: 0, to: this.end, width: 800, height: Math.min(HEIGHT_MAX, HEAD + top + 2), top: 0 };
    this.marks = { longest: null, chosen: null, functionId: null };
    this.build();
    onTheme(() => this.paint());
  }

  build() {
    this.canvas = el('canvas', {
      tabindex: '0', id: `timeline-canvas${this.suffix}`, role: 'img',
      'aria-label': 'Timeline: left and right pan, + and - zoom, up and down scroll, Home shows all, '
        + 'Enter zooms to the chosen call, N chooses the next call, P the one before',
      onkeydown: (event) => this.key(event),
      onpointerdown: (event) => this.press(event),
      onpointermove: (event) => this.move(event),
      onpointerup: (event) => this.release(event),
      onpointercancel: () => { this.drag = null; },
      ondblclick: (event) => this.zoomToCall(this.at(event)),
      onwheel: (event) => this.wheel(event),
    });
    this.spacer = el('div', { class: 'spacer' });
    this.spacer.style.height = `${HEAD + this.total}px`;
    this.scroller = el('div', { class: 'lanes', onscroll: () => this.draw() }, this.canvas, this.spacer);
    this.scroller.style.height = `${this.view.height}px`;
    this.details = el('p', { class: 'focus', 'aria-live': 'polite' }, 'Point at a call, or click it.');
    this.memory = new MemoryPlot(this.model, (from, to) => this.show(from, to), this.end);
    const button = (text, title, action) => el('button', { type: 'button', title, onclick: action }, text);
    this.picker = el('input', {
      type: 'search', list: 'function-names', placeholder: 'Function', spellcheck: 'false', id: `longest-of${this.suffix}`,
      'aria-label': 'Function whose longest call to show',
      onkeydown: (event) => { if (event.key === 'Enter') this.goLongest(this.picker.value); },
    });
    this.element = section(`timeline${this.suffix}`, this.title,
      el('p', { class: 'controls' }, button('−', 'Zoom out (-)', () => this.zoom(2)),
        button('+', 'Zoom in (+)', () => this.zoom(0.5)), button('◂', 'Earlier (left)', () => this.pan(-0.25)),
        button('▸', 'Later (right)', () => this.pan(0.25)), button('Whole run', 'Show all (Home)', () => this.show(0, this.end)),
        el('span', { class: 'together' }, this.picker,
          el('button', { type: 'button', id: `go-longest${this.suffix}`, onclick: () => this.goLongest(this.picker.value) }, 'Longest call'))),
      this.details, this.scroller, this.memory.element, this.legend(), this.leftOut(), this.lists());
  }

  legend() {
    return el('p', { class: 'legend' }, el('span', { class: 'swatch wait' }), 'waits (functions with lock, wait or the like '
      + 'in their names: the longest calls of each) ', el('span', { class: 'swatch note' }), 'notes. ',
    'Times here are as measured, with the cost of recording.');
  }

  leftOut() {
    const shown = this.lanes.reduce((sum, lane) => sum + lane.ids.length, 0);
    const rest = this.model.totals.calls - shown;
    const tooDeep = this.lanes.some((lane) => lane.tooDeep > 0) ? `, or nested deeper than ${ROWS_MAX}` : '';
    const threads = this.model.totals.threads - this.lanes.length;
    const bars = this.lanes.map((lane) => lane.least).filter((least) => least > 0);
    const bar = bars.length === 0 ? '' : Math.min(...bars) === Math.max(...bars) ? ` (none longer than ${time(bars[0])}${tooDeep})`
      : ` (none longer than ${time(Math.min(...bars))} to ${time(Math.max(...bars))}, by thread${tooDeep})`;
    return (rest > 0 || threads > 0) && leftOut(`Shown are the longest ${times(shown, 'call')}. `
      + (rest > 0 ? `Left out are ${times(rest, 'call')}${bar}. ` : '')
      + (threads > 0 ? `${times(threads, 'thread')} with fewer calls, or none, have no lane. ` : '')
      + 'fisql trace and fisql export show them all.');
  }

  lists() {
    const jump = (event, thread) => el('button', { type: 'button', onclick: () => this.jump(event, thread) }, time(event.ns ?? event.enter_ns));
    const list = (title, rows, left) => rows.length > 0 && el('details', null, el('summary', null, title),
      el('ul', { class: 'events' }, rows), left > 0 && leftOut(`${count(left)} more are left out.`));
    return [
      list(times(this.notes.length, 'note'), this.notes.slice(0, 300).map((note) => el('li', null, jump(note, note.thread_id),
        ` ${this.model.threadName(note.thread_id)}: ${visible(note.text)}`)), this.model.data.notes.left_out + Math.max(0, this.notes.length - 300)),
      list(times(this.waits.length, 'wait'), this.waits.slice(0, 300).map((wait) => el('li', null, jump(wait, wait.thread_id),
        ' ', this.model.link(wait.function_id), ` ${time(wait.duration_ns)}, ${this.model.threadName(wait.thread_id)}, call ${wait.id}`)),
      this.model.data.lock_waits.left_out + Math.max(0, this.waits.length - 300)),
    ];
  }

  start() {
    this.painter = new Painter(this.canvas, this.model);
    this.memory.start();
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.draw();
  }

  // ---- the view ----

  draw() {
    if (!this.painter || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    if (!this.painter) return;
    this.view.width = Math.max(GUTTER + 100, this.scroller.clientWidth);
    this.view.height = Math.max(HEAD + ROW, this.scroller.clientHeight); // it can be pulled larger
    this.view.top = this.scroller.scrollTop;
    this.painter.paint(this.view, this.lanes, this.marks);
    this.memory.show(this.view.from, this.view.to, this.view.width);
  }

  show(from, to) {
    const width = Math.max(LEAST_NS, Math.min(this.end, to - from));
    const start = Math.max(0, Math.min(this.end - width, from));
    this.view.from = start;
    this.view.to = start + width;
    this.draw();
  }

  pan(share) {
    const step = (this.view.to - this.view.from) * share;
    this.show(this.view.from + step, this.view.to + step);
  }

  zoom(factor, at = (this.view.from + this.view.to) / 2) {
    this.show(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
  }

  timeAt(x) {
    return this.view.from + ((x - GUTTER) / (this.view.width - GUTTER)) * (this.view.to - this.view.from);
  }

  // ---- calls ----

  call(lane, i) {
    return { thread: lane.thread, id: lane.ids[i], depth: lane.depths[i] + lane.base, functionId: lane.functions[i],
      enter_ns: lane.enters[i], duration_ns: lane.durations[i] };
  }

  // The call at a pointer's place.
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top - HEAD + this.view.top;
    const lane = this.lanes.find((one) => y >= one.top && y < one.top + one.height);
    if (!lane || x < GUTTER) return null;
    const row = Math.floor((y - lane.top - GAP) / ROW);
    const ns = this.timeAt(x), slack = (this.view.to - this.view.from) / (this.view.width - GUTTER);
    let best = -1;
    for (let i = 0; i < lane.ids.length && lane.enters[i] <= ns + slack; i++) {
      if (lane.depths[i] === row && lane.enters[i] + lane.durations[i] >= ns - slack) best = i;
    }
    return best < 0 ? null : this.call(lane, best);
  }

  tell(call) {
    if (!call) return;
    replace(this.details, this.model.link(call.functionId, 'strong'), ` ${this.model.location(call.functionId)}: `,
      `${time(call.duration_ns)} from ${time(call.enter_ns)}, ${this.model.threadName(call.thread)}, depth ${call.depth}, call ${call.id}`);
  }

  choose(call) {
    this.marks.chosen = call;
    this.marks.functionId = call ? call.functionId : null;
    this.tell(call);
    this.draw();
  }

  zoomToCall(call) {
    if (!call) return;
    this.choose(call);
    const around = Math.max(call.duration_ns * 0.1, LEAST_NS / 2);
    this.show(call.enter_ns - around, call.enter_ns + call.duration_ns + around);
    this.scrollTo(call);
  }

  scrollTo(call) {
    const lane = this.lanes.find((one) => one.thread === call.thread);
    if (!lane) return;
    const y = lane.top + GAP + Math.max(0, (call.depth || 0) - lane.base) * ROW;
    if (y < this.scroller.scrollTop || y + 2 * ROW > this.scroller.scrollTop + this.view.height - HEAD) {
      this.scroller.scrollTop = Math.max(0, y - this.view.height / 2);
    }
  }

  // To a note or a wait.
  jump(event, thread) {
    const from = event.ns ?? event.enter_ns, length = event.duration_ns || 0;
    const around = Math.max(length, this.end / 200, LEAST_NS);
    this.show(from - around, from + length + around);
    this.scrollTo({ thread, depth: event.depth });
    this.canvas.focus({ preventScroll: true });
  }

  // The longest call of the named function, in the run and not only among those shown.
  goLongest(name) {
    const wanted = name.trim().toLowerCase();
    const known = this.model.functionNamed(name.trim()) ||
      (wanted && this.model.functions.find((one) => one.name.toLowerCase().includes(wanted)));
    if (!known) {
      replace(this.details, wanted ? `No function called "${visible(name)}".` : 'Name a function first.');
      return;
    }
    this.showLongest(known.id);
  }

  showLongest(id) {
    const longest = this.slowest.get(id);
    if (!longest) {
      replace(this.details, `No longest call of ${this.model.name(id)} is in this page: fisql query slow-calls tells it.`);
      return;
    }
    const call = { thread: longest.thread_id, id: longest.id, depth: longest.depth, functionId: id,
      enter_ns: longest.enter_ns, duration_ns: longest.duration_ns };
    this.picker.value = this.model.name(id);
    this.marks.longest = call;
    this.zoomToCall(call);
    this.element.scrollIntoView();
    this.canvas.focus({ preventScroll: true });
  }

  // ---- hands ----

  press(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, from: this.view.from, to: this.view.to, zoom: event.shiftKey, moved: false };
  }

  move(event) {
    if (!this.drag) {
      this.tell(this.at(event));
      return;
    }
    const shift = event.clientX - this.drag.x;
    if (Math.abs(shift) > 3) this.drag.moved = true;
    if (this.drag.zoom || !this.drag.moved) return;
    const ns = (shift / (this.view.width - GUTTER)) * (this.drag.to - this.drag.from);
    this.show(this.drag.from - ns, this.drag.to - ns);
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    if (!drag.moved) {
      this.choose(this.at(event));
    } else if (drag.zoom) {
      const left = this.canvas.getBoundingClientRect().left;
      const ends = [this.timeAt(drag.x - left), this.timeAt(event.clientX - left)].sort((a, b) => a - b);
      this.show(ends[0], ends[1]);
    }
  }

  wheel(event) {
    if (document.activeElement !== this.canvas && !event.ctrlKey) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.pan((event.deltaX || event.deltaY) / 1000);
      return;
    }
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), this.timeAt(x));
  }

  // The call after the chosen one, or before, in its lane.
  step(direction) {
    const chosen = this.marks.chosen;
    const lane = this.lanes.find((one) => chosen && one.thread === chosen.thread) || this.lanes[0];
    if (!lane || lane.ids.length === 0) return;
    let i = chosen ? lane.ids.indexOf(chosen.id) : -1;
    if (chosen && i < 0) i = lane.ids.findIndex((id) => id >= chosen.id) - (direction > 0 ? 1 : 0);
    i = Math.max(0, Math.min(lane.ids.length - 1, i + direction));
    this.choose(this.call(lane, i));
    this.scrollTo(this.marks.chosen);
    const { enter_ns: enter, duration_ns: duration } = this.marks.chosen;
    if (enter + duration < this.view.from || enter > this.view.to) {
      const half = (this.view.to - this.view.from) / 2;
      this.show(enter - half, enter + half);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), a: () => this.pan(-0.2), d: () => this.pan(0.2),
      '+': () => this.zoom(0.6), '=': () => this.zoom(0.6), '-': () => this.zoom(1 / 0.6), w: () => this.zoom(0.6), s: () => this.zoom(1 / 0.6),
      ArrowUp: () => { this.scroller.scrollTop -= 3 * ROW; }, ArrowDown: () => { this.scroller.scrollTop += 3 * ROW; },
      Home: () => this.show(0, this.end), 0: () => this.show(0, this.end),
      n: () => this.step(1), p: () => this.step(-1),
      Enter: () => this.zoomToCall(this.marks.chosen),
      Escape: () => { this.choose(null); this.show(0, this.end); },
      f: () => { if (this.marks.chosen) location.hash = this.model.anchor(this.marks.chosen.functionId) || location.hash; },
    };
    if (!actions[event.key]) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }
}
