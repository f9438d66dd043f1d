// The timeline: one lane a thread with its calls nested, waiting hatched, time put aside grey, notes
// marked; above it all threads over the whole run, below it live memory on the same axis
// (memory_plot.js). Dragging selects a range and tells about it; the wheel zooms while the timeline has
// the focus; keys do all of it. A lane's name folds the lane.
import { el, leftOut, onTheme, replace, section } from './dom.js';
import { count, time, times, visible } from './format.js';
import { MemoryPlot } from './memory_plot.js';
import { objects } from './model.js';
import { gutterOf, HEAD, headOf, Painter, ROW } from './timeline_draw.js';
import { drawnRow, isAside, orders, readLanes, recordingWithin, ROWS_MAX } from './timeline_lanes.js';
import { Overview } from './timeline_overview.js';
import { rangeSummary } from './timeline_range.js';
import { hideTip, showTip, tipLines } from './tip.js';

const LEAST_NS = 50; // the narrowest view
const HEIGHT_MAX = 560; // px

export class Timeline {
  // name: of the run, where the page has more than one; end: of the time shown, where it is not the run's; source: a
  // server that has all calls (timeline_source.js), null: the lanes are what the page has
  constructor(model, { name = '', end = 0, source = null } = {}) {
    this.model = model;
    this.source = source;
    if (source) {
      source.say = (words) => replace(this.shownCalls, leftOut(words));
      source.changed = () => this.draw();
    }
    this.suffix = name ? `-${name.toLowerCase()}` : '';
    this.title = name ? `Timeline of ${name}` : 'Timeline';
    const { lanes, notes, gaps } = source ? source.lanes() : readLanes(model);
    Object.assign(this, { lanes: lanes.slice().sort(orders.start[1]), notes, gaps });
    this.texts = new Map(model.data.call_values.rows);
    this.slowest = new Map(objects(model.data.slowest).map((call) => [call.function_id, call]));
    this.end = Math.max(1, end, model.totals.end_ns, ...this.lanes.map((lane) => lane.end || 0));
    this.view = { from: 0, to: this.end, width: 800, height: 0, top: 0, range: null };
    this.marks = { longest: null, chosen: null, functionId: null };
    this.build();
    onTheme(() => {
      this.overview.paint(true);
      this.paint();
    });
    model.onCode(() => {
      this.marks = { longest: null, chosen: null, functionId: null };
      this.layOut();
    });
  }

  build() {
    this.canvas = el('canvas', {
      tabindex: '0', id: `timeline-canvas${this.suffix}`, role: 'img',
      'aria-label': 'Timeline: A and D or left and right pan, W and S zoom, up and down scroll, Home shows all, '
        + 'Enter zooms to the chosen call, N chooses the next call, P the one before',
      onkeydown: (event) => this.key(event),
      onpointerdown: (event) => this.press(event),
      onpointermove: (event) => this.move(event),
      onpointerup: (event) => this.release(event),
      onpointercancel: () => { this.drag = null; },
      onpointerleave: hideTip,
      ondblclick: (event) => this.zoomToCall(this.at(event)),
      onwheel: (event) => this.wheel(event),
    });
    this.spacer = el('div', { class: 'spacer' });
    this.scroller = el('div', { class: 'lanes', onscroll: () => this.draw() }, this.canvas, this.spacer);
    this.details = el('p', { class: 'focus', 'aria-live': 'polite' }, 'Click a call to choose it; drag to select a range.');
    this.objectElement = el('div', { 'aria-live': 'polite' });
    this.rangeElement = el('div', { 'aria-live': 'polite' });
    this.memory = new MemoryPlot(this.model, (from, to) => this.show(from, to), this.end,
      this.source ? (ns, place) => this.source.tellLive(ns, place) : null);
    this.shownCalls = el('div', { 'aria-live': 'polite' }, this.source ? this.shownNow() : this.leftOut());
    this.overview = new Overview(this.source ? readLanes(this.model).lanes.slice().sort(orders.start[1]) : this.lanes, this.end, this.view, (from, to) => this.show(from, to));
    this.element = section(`timeline${this.suffix}`, this.title, this.controls(), this.details, this.overview.element, this.scroller, this.objectElement, this.rangeElement,
      this.memory.element, this.legend(), this.shownCalls, this.source && this.source.marks.element, this.lists());
  }

  controls() {
    const button = (text, title, action) => el('button', { type: 'button', title, onclick: action }, text);
    this.picker = el('input', {
      type: 'search', list: 'function-names', placeholder: 'Function', spellcheck: 'false', id: `longest-of${this.suffix}`,
      'aria-label': 'Function whose longest call to show',
      onkeydown: (event) => { if (event.key === 'Enter') this.goLongest(this.picker.value); },
    });
    const fold = (collapsed) => () => {
      for (const lane of this.lanes) lane.collapsed = collapsed;
      this.layOut();
    };
    return el('p', { class: 'controls' }, button('−', 'Zoom out (s)', () => this.zoom(2)),
      button('+', 'Zoom in (w)', () => this.zoom(0.5)), button('◂', 'Earlier (a)', () => this.pan(-0.25)),
      button('▸', 'Later (d)', () => this.pan(0.25)), button('Whole run', 'Show all (Home)', () => this.show(0, this.end)),
      this.lanes.length > 1 && [el('select', { 'aria-label': 'Threads', onchange: (event) => this.sortBy(event.target.value) },
        Object.entries(orders).map(([key, [text]]) => el('option', { value: key }, `Threads ${text}`))),
      button('Fold', 'Fold all lanes', fold(true)), button('Unfold', 'Unfold all lanes', fold(false))],
      el('span', { class: 'together' }, this.picker,
        el('button', { type: 'button', id: `go-longest${this.suffix}`, onclick: () => this.goLongest(this.picker.value) }, 'Longest call')));
  }

  legend() {
    const has = (test) => this.gaps.some(test);
    return el('p', { class: 'legend' }, el('span', { class: 'box busy' }), 'in recorded code ',
      has((gap) => !isAside(gap)) && [el('span', { class: 'box wait' }), 'waiting '], has(isAside) && [el('span', { class: 'box aside' }), 'put aside '],
      this.lanes.some((lane) => lane.slots.length > 0) && '(of short gaps their share of the bar) ',
      this.lanes.some((lane) => lane.recordings.length > 0) && [el('span', { class: 'box recording' }), 'recording '],
      this.notes.length > 0 && [el('span', { class: 'box note' }), 'notes '], this.source && this.gaps.length > 0 && '\u2192 from a wait for a lock to the call that held it ', '· Times here are as measured, with the hooks\u2019 cost, without the recording\u2019s gaps.');
  }

  leftOut() {
    const shown = this.lanes.reduce((sum, lane) => sum + lane.ids.length, 0);
    const rest = this.model.totals.calls - shown;
    const tooDeep = this.lanes.some((lane) => lane.tooDeep > 0) ? `, or nested deeper than ${ROWS_MAX}` : '';
    const threads = this.model.totals.threads - this.lanes.length;
    const bars = this.lanes.map((lane) => lane.least).filter((least) => least > 0);
    const bar = bars.length === 0 ? '' : Math.min(...bars) === Math.max(...bars) ? ` (none longer than ${time(bars[0])}${tooDeep})`
      : ` (none longer than ${time(Math.min(...bars))} to ${time(Math.max(...bars))}, by thread${tooDeep})`;
    const unvalued = this.model.data.call_values.left_out;
    return (rest > 0 || threads > 0 || unvalued > 0) && leftOut(`Shown are the longest ${times(shown, 'call')}. `
      + (rest > 0 ? `Left out are ${times(rest, 'call')}${bar}. ` : '')
      + (threads > 0 ? `${times(threads, 'thread')} with fewer calls, or none, have no lane. ` : '')
      + (unvalued > 0 ? `Arguments and results of ${times(unvalued, 'shown call')}, the shortest, are left out. ` : '')
      + 'fisql trace and fisql export show them all.');
  }

  // What a server's answer left out.
  shownNow() {
    const whole = this.lanes.every((lane) => lane.whole);
    const shown = this.lanes.reduce((sum, lane) => sum + lane.ids.length, 0);
    const least = Math.min(...this.lanes.filter((lane) => !lane.whole).map((lane) => lane.least));
    return leftOut(whole ? `Shown are all calls of this window: ${times(shown, 'call')}.`
      : `Shown are ${times(shown, 'call')} that take ${time(least)} or more, a pixel; the strip above each lane has the function with most time in shorter ones. Zoom in for these.`);
  }

  lists() {
    const jump = (event, thread) => el('button', { type: 'button', onclick: () => this.jump(event, thread) }, time(event.ns ?? event.start_ns));
    const list = (title, rows, left) => rows.length > 0 && el('details', null, el('summary', null, title),
      el('ul', { class: 'events' }, rows), left > 0 && leftOut(`${count(left)} more are left out.`));
    const waits = this.gaps.filter((gap) => !isAside(gap));
    const longest = waits.slice().sort((a, b) => b.wait_ns - a.wait_ns).slice(0, 300);
    return [
      list(times(this.notes.length, 'note'), this.notes.slice(0, 300).map((note) => el('li', null, jump(note, note.thread_id),
        ` ${this.model.threadName(note.thread_id)}: ${visible(note.text)}`)), this.model.data.notes.left_out + Math.max(0, this.notes.length - 300)),
      list(times(waits.length, 'wait'), longest.map((wait) => el('li', null, jump(wait, wait.thread_id),
        ' ', this.model.link(wait.function_id), ` ${time(wait.wait_ns)}, ${this.model.threadName(wait.thread_id)}, call ${wait.call_id}`)),
      this.model.data.gaps.left_out + Math.max(0, waits.length - 300)),
    ];
  }

  // Before anything is drawn.
  measure() {
    this.measured = Math.max(240, this.scroller.clientWidth);
    this.memory.measure();
  }

  start() {
    this.painter = new Painter(this.canvas, this.model);
    this.memory.start();
    new ResizeObserver(() => {
      this.measured = Math.max(240, this.scroller.clientWidth);
      this.resize();
    }).observe(this.scroller);
    this.resize();
  }

  // The lanes one below the other, in their order.
  layOut() {
    const head = headOf(this.view.width);
    let top = 0;
    for (const lane of this.lanes) {
      lane.top = top;
      lane.height = head + (lane.collapsed ? 0 : (lane.rows - lane.fold) * ROW + 5);
      top += lane.height;
    }
    this.spacer.style.height = `${HEAD + top}px`;
    this.draw();
    return top;
  }

  resize() {
    const width = this.measured;
    if (width === this.view.width && this.laid) {
      this.draw();
      return;
    }
    this.view.width = width;
    const total = this.layOut();
    if (!this.laid) this.scroller.style.height = `${Math.min(HEIGHT_MAX, HEAD + total + 2)}px`;
    this.laid = true;
  }

  sortBy(order) {
    this.lanes.sort(orders[order][1]);
    this.layOut();
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

  // The server has answered for the present view.
  take() {
    replace(this.shownCalls, this.shownNow());
    this.canvas.dataset.answers = String(Number(this.canvas.dataset.answers || 0) + 1); // for tests and scripts
    this.layOut();
  }

  paint() {
    if (!this.painter || !this.laid) return;
    if (this.source) this.source.want(this.view, this.lanes, () => this.take());
    this.view.height = Math.max(HEAD + ROW, this.scroller.clientHeight); // it can be pulled larger
    this.view.top = this.scroller.scrollTop;
    this.painter.paint(this.view, this.lanes, this.marks, this.source ? this.source.marks : null);
    if (this.source) this.source.marks.want(this.view, this.lanes);
    this.overview.paint();
    if (this.object) this.object.paint(this.view);
    this.memory.show(this.view.from, this.view.to, this.view.width);
  }

  show(from, to) {
    const width = Math.max(LEAST_NS, Math.min(this.end, to - from));
    const start = Math.max(0, Math.min(this.end - width, from));
    this.view.from = start;
    this.view.to = start + width;
    if (this.moved) this.moved();
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
    const gutter = gutterOf(this.view.width);
    return this.view.from + ((x - gutter) / (this.view.width - gutter)) * (this.view.to - this.view.from);
  }

  // ---- a range ----

  select(range) {
    this.view.range = range;
    replace(this.rangeElement, range && rangeSummary(this.model, this.lanes, range, {
      zoom: () => this.show(range.from, range.to), clear: () => this.select(null) }));
    if (range && this.source) this.source.tellRange(range, this.rangeElement);
    if (this.moved) this.moved();
    this.draw();
  }

  // The lane of an object (timeline_object.js); null: none.
  showObject(object) {
    this.object = object;
    replace(this.objectElement, object && object.element);
    this.draw();
  }

  // ---- calls ----

  call(lane, i) {
    return { thread: lane.thread, id: lane.ids[i], depth: lane.depths[i], row: lane.under[i], functionId: lane.functions[i],
      enter_ns: lane.enters[i], duration_ns: lane.durations[i] };
  }

  // The calls around it that are drawn as one with it.
  wayTo(call) {
    const lane = this.lanes.find((one) => one.thread === call.thread);
    if (!lane || lane.ids[lane.chain.at(-1)] !== call.id) return '';
    return lane.chain.slice(0, -1).map((i) => this.model.name(lane.functions[i])).join(' => ');
  }

  // How long it took, without what the recording took of it, in words.
  took(call) {
    const lane = this.lanes.find((one) => one.thread === call.thread);
    const recording = lane ? recordingWithin(lane, call.enter_ns, call.duration_ns) : 0;
    return `${time(call.duration_ns - recording)} from ${time(call.enter_ns)}${recording > 0 ? `, and ${time(recording)} of recording` : ''}`;
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top - HEAD + this.view.top;
    const lane = event.clientY - box.top < HEAD ? null : this.lanes.find((one) => y >= one.top && y < one.top + one.height);
    return { x, lane, row: lane ? Math.floor((y - lane.top - headOf(this.view.width)) / ROW) : -1 };
  }

  // The call at a pointer's place.
  at(event) {
    const { x, lane, row } = this.place(event);
    const gutter = gutterOf(this.view.width);
    if (!lane || x < gutter || row < 0) return null;
    const ns = this.timeAt(x), slack = (this.view.to - this.view.from) / (this.view.width - gutter);
    let best = -1;
    for (let i = 0; i < lane.ids.length && lane.enters[i] <= ns + slack; i++) {
      if (lane.rowOf[i] === row + lane.fold && lane.enters[i] + lane.durations[i] >= ns - slack) best = i;
    }
    return best < 0 ? null : this.call(lane, best);
  }

  // Is the pointer at a lane's name?
  nameAt(event) {
    const { x, lane, row } = this.place(event);
    const gutter = gutterOf(this.view.width);
    return lane && (gutter > 0 ? x < gutter : row < 0) ? lane : null;
  }

  tell(call) {
    if (!call) return;
    const text = this.texts.get(call.id);
    const way = this.wayTo(call);
    replace(this.details, this.model.link(call.functionId, 'strong'), text && el('code', null, text), way && ` by way of ${way}`,
      ` ${this.model.location(call.functionId)}: `,
      `${this.took(call)}, ${this.model.threadName(call.thread)}, depth ${call.depth}, call ${call.id}`);
    if (this.chosenMore) this.chosenMore(call, this.details);
  }

  // The call and, where the pointer is within one of its thread's gaps, that.
  hover(event) {
    if (this.hoverMark(event)) return;
    const call = this.at(event), { x, lane, row } = this.place(event);
    this.canvas.style.cursor = this.nameAt(event) ? 'pointer' : 'crosshair';
    const ns = this.timeAt(x);
    const gap = lane && x >= gutterOf(this.view.width) && [...lane.recordings, ...lane.gaps].find((one) => ns >= one.start_ns && ns <= one.start_ns + one.wall_ns && (row < 0 || drawnRow(lane, one.row) === row));
    if (!call && !gap) {
      hideTip();
      return;
    }
    const id = call ? call.functionId : gap.function_id;
    const text = call && this.texts.get(call.id);
    showTip(event, tipLines(this.model.fullName(id), [text && ['', el('code', null, text)], this.model.location(id), call && this.wayTo(call) && ['by way of', this.wayTo(call)],
      call && ['took', this.took(call)],
      gap && gap.recording && ['recording', `${time(gap.wall_ns)} here: fisql wrote its log`],
      gap && gap.wait_ns > 0 && ['waited', `${time(gap.wait_ns)} of ${time(gap.wall_ns)} here`], gap && gap.preempted_ns > 0 && ['put aside', `${time(gap.preempted_ns)} of ${time(gap.wall_ns)} here`],
      gap && gap.major_faults > 0 && times(gap.major_faults, 'page fault with I/O', 'page faults with I/O')]));
  }

  // A wait for a lock, a note or the like, where the pointer is at its arrow or its flag.
  hoverMark(event) {
    const wait = this.waitAt(event), { x, lane, row } = this.place(event);
    const flag = !wait && this.source && lane && row < 0 && this.source.marks.flagAt(lane, this.timeAt(x), (11 * (this.view.to - this.view.from)) / this.view.width);
    if (!wait && !flag) return false;
    this.canvas.style.cursor = wait ? 'pointer' : 'crosshair';
    showTip(event, wait ? tipLines(`Wait for ${wait.lock}`, this.source.marks.lines(wait)) : tipLines(visible(flag.text), [`at ${time(flag.ns)}`]));
    return true;
  }

  waitAt(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return this.source ? this.source.marks.at(event.clientX - left, event.clientY - top) : null;
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
    const y = lane.top + headOf(this.view.width) + (lane.collapsed ? 0 : drawnRow(lane, call.row || 0)) * ROW;
    if (y < this.scroller.scrollTop || y + 2 * ROW > this.scroller.scrollTop + this.view.height - HEAD) {
      this.scroller.scrollTop = Math.max(0, y - this.view.height / 2);
    }
  }

  // To a note or a wait.
  jump(event, thread) {
    const from = event.ns ?? event.start_ns, length = event.wall_ns || 0;
    const around = Math.max(length, this.end / 200, LEAST_NS);
    this.show(from - around, from + length + around);
    this.scrollTo({ thread, row: event.row });
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
    const lane = this.lanes.find((one) => one.thread === longest.thread_id);
    const at = lane ? lane.ids.indexOf(longest.id) : -1;
    if (lane && lane.collapsed) {
      lane.collapsed = false;
      this.layOut();
    }
    const row = at >= 0 ? lane.under[at] : Math.max(0, longest.depth - (lane ? lane.base : 0));
    const call = { thread: longest.thread_id, id: longest.id, depth: longest.depth, row, functionId: id,
      enter_ns: longest.enter_ns, duration_ns: longest.duration_ns };
    this.picker.value = this.model.name(id);
    this.marks.longest = call;
    this.zoomToCall(call);
    this.element.scrollIntoView();
    this.canvas.focus({ preventScroll: true });
  }

  // ---- hands ----

  // A drag selects; with Shift, or with a finger, it pans.
  press(event) {
    if (event.button !== 0) return;
    const lane = this.nameAt(event);
    if (lane) {
      lane.collapsed = !lane.collapsed;
      this.layOut();
      return;
    }
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, from: this.view.from, to: this.view.to, pan: event.shiftKey || event.pointerType === 'touch', moved: false };
  }

  move(event) {
    if (!this.drag) {
      this.hover(event);
      return;
    }
    hideTip();
    const shift = event.clientX - this.drag.x;
    if (Math.abs(shift) > 3) this.drag.moved = true;
    if (!this.drag.moved) return;
    if (this.drag.pan) {
      const ns = (shift / (this.view.width - gutterOf(this.view.width))) * (this.drag.to - this.drag.from);
      this.show(this.drag.from - ns, this.drag.to - ns);
    } else {
      this.view.range = this.dragged(event);
      this.draw();
    }
  }

  dragged(event) {
    const { left } = this.canvas.getBoundingClientRect();
    const within = (x) => Math.max(0, Math.min(this.end, this.timeAt(x - left)));
    const [from, to] = [within(this.drag.x), within(event.clientX)].sort((a, b) => a - b);
    return { from, to };
  }

  release(event) {
    const { drag } = this;
    if (!drag) return;
    const wait = !drag.moved && this.waitAt(event);
    if (wait && wait.held_by_call_id !== null) location.hash = `#call:${wait.held_by_call_id}`;
    else if (!drag.moved) this.choose(this.at(event));
    else if (!drag.pan) this.select(this.dragged(event));
    this.drag = null;
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
    do {
      i += direction;
    } while (i > 0 && i < lane.ids.length - 1 && lane.rowOf[i] < 0);
    i = Math.max(0, Math.min(lane.ids.length - 1, i));
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
      Escape: () => {
        this.choose(null);
        if (this.view.range) this.select(null);
        else this.show(0, this.end);
      },
      f: () => { if (this.marks.chosen) location.hash = this.model.anchor(this.marks.chosen.functionId) || location.hash; },
    };
    if (!actions[event.key]) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }
}
