// What stands on the timeline beside its calls, asked of a server for the window that is shown: waits for locks with an
// arrow from the waiting call to the one that held the lock, incidents, faults and notes as flags. Calls are drawn
// without waiting for it.
import { el, leftOut, replace } from './dom.js';
import { time, times, visible } from './format.js';
import { HEAD, headOf, ROW } from './timeline_draw.js';
import { drawnRow } from './timeline_lanes.js';

const AROUND = 0.5, PAUSE_MS = 120;
const LIMIT = 300; // of each kind
const ARROWS = 60; // drawn at once, of the longest waits
const NARROW = 2; // px: a wait that is narrower has no arrow
const REACH = 5; // px: so near is at an arrow

// The row in which the lane has the call, or would have it.
function rowOf(lane, id, depth) {
  const at = lane.ids.indexOf(id);
  if (at >= 0) return lane.under[at];
  return Math.max(0, Math.min(lane.rows - 1, (depth ?? lane.base) - lane.base));
}

export class Marks {
  // moved(): what is marked is another
  constructor(server, model, moved) {
    Object.assign(this, { server, model, moved, had: null, timer: null, waits: [], incidents: [], arrows: [], flags: [] });
    this.element = el('div', { class: 'lock-waits' });
  }

  want(view, lanes) {
    this.view = view;
    this.lanes = lanes;
    const length = view.to - view.from;
    if (this.had && this.had.from <= view.from && this.had.to >= view.to && this.had.to - this.had.from <= length * (1 + 2 * AROUND) * 1.3) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(Math.max(0, Math.floor(view.from - length * AROUND)), Math.ceil(view.to + length * AROUND)), PAUSE_MS);
  }

  async ask(from, to) {
    const asked = { from, to };
    this.asked = asked;
    try {
      const least = Math.max(1, Math.floor((NARROW * (to - from)) / (2 * this.view.width)));
      const answer = await this.server.get('marks', { from, to, least, limit: LIMIT });
      if (this.asked !== asked) return;
      this.had = asked;
      this.take(answer);
    } catch (error) {
      replace(this.element, leftOut(`Waits for locks, incidents and notes: ${error.message}`));
    }
  }

  take({ waits, locks, incidents, faults, notes }) {
    const names = new Map(locks.map((lock) => [lock.id, visible(lock.name)]));
    this.waits = waits.map((wait) => ({ ...wait, lock: names.get(wait.lock_id) || `lock ${wait.lock_id}` }));
    this.incidents = incidents.map((one) => ({ ...one, text: `${one.kind}: ${one.message}`, bad: true }));
    if (notes.length < LIMIT && faults.length < LIMIT) {
      const byThread = new Map();
      for (const one of [...faults, ...notes]) byThread.set(one.thread_id, [...byThread.get(one.thread_id) || [], one]);
      for (const lane of this.lanes) lane.notes = byThread.get(lane.thread) || [];
    }
    for (const lane of this.lanes) lane.incidents = this.incidents.filter((one) => one.thread_id === lane.thread);
    replace(this.element, this.list());
    this.moved();
  }

  // ---- drawing ----

  y(lane, row) {
    const top = HEAD + lane.top - this.view.top + headOf(this.view.width);
    return lane.collapsed ? top - 8 : top + drawnRow(lane, row) * ROW + ROW / 2;
  }

  // Each arrow of the present view: {wait, x, from, to}, in pixels.
  place(painter) {
    const byThread = new Map(this.lanes.map((lane) => [lane.thread, lane]));
    const seen = ({ start_ns: start, wait_ns: wait }) => start <= this.view.to && start + wait >= this.view.from && wait * painter.scale >= NARROW;
    this.arrows = [];
    for (const wait of this.waits) {
      const waiting = byThread.get(wait.thread_id), holding = byThread.get(wait.held_by_thread_id);
      if (!waiting || !holding || waiting === holding || !seen(wait) || this.arrows.length >= ARROWS) continue;
      this.arrows.push({ wait, x: Math.max(painter.gutter + 2, painter.x(wait.start_ns)), from: this.y(waiting, rowOf(waiting, wait.call_id, wait.depth)),
        to: this.y(holding, rowOf(holding, wait.held_by_call_id, wait.held_by_depth)) });
    }
  }

  draw(painter) {
    if (!this.lanes) return;
    this.place(painter);
    const { context, view, inks } = painter;
    painter.canvas.dataset.arrows = String(this.arrows.length); // for tests and scripts
    context.save();
    context.beginPath();
    context.rect(painter.gutter, HEAD, view.width - painter.gutter, view.height - HEAD);
    context.clip();
    context.strokeStyle = context.fillStyle = inks.wait;
    context.lineWidth = 1.5;
    for (const { x, from, to } of this.arrows) {
      const bow = Math.min(14, Math.abs(to - from) / 4), down = Math.sign(to - from) || 1;
      context.beginPath();
      context.moveTo(x, from);
      context.quadraticCurveTo(x + bow, (from + to) / 2, x, to);
      context.stroke();
      context.beginPath(); // its head, at the call that held the lock
      context.moveTo(x, to);
      context.lineTo(x - 2, to - 8 * down);
      context.lineTo(x + 6, to - 6 * down);
      context.fill();
      context.beginPath();
      context.arc(x, from, 2.5, 0, 7);
      context.fill();
    }
    context.restore();
  }

  // ---- hands ----

  // The wait whose arrow is there, in pixels of the canvas.
  at(x, y) {
    const near = this.arrows.find((one) => Math.abs(one.x - x) <= REACH + 2 && y >= Math.min(one.from, one.to) - 2 && y <= Math.max(one.from, one.to) + 2);
    return near ? near.wait : null;
  }

  // The incident, fault or note whose flag is there.
  flagAt(lane, ns, slack) {
    return [...lane.incidents || [], ...lane.notes].find((one) => one.ns <= ns && one.ns >= ns - slack) || null;
  }

  lines(wait) {
    const thread = (id) => (id === null ? 'not known' : this.model.threadName(id));
    return [['waited', `${time(wait.wait_ns)} from ${time(wait.start_ns)}, in ${thread(wait.thread_id)}`],
      ['held by', `${thread(wait.held_by_thread_id)}${wait.held_by_function_id === null ? '' : `, in ${this.model.name(wait.held_by_function_id)}`}`],
      wait.ended !== 'taken' && ['ended', wait.ended], wait.deadlock !== null && ['deadlock', String(wait.deadlock)]];
  }

  // Waits of the window as a list, with what leads to both calls; incidents above it.
  list() {
    const button = (text, title, call) => el('button', { type: 'button', class: 'act', title, 'data-call': String(call), onclick: () => { location.hash = `#call:${call}`; } }, text);
    const seen = this.waits;
    return [
      this.incidents.length > 0 && el('ul', { class: 'events' }, this.incidents.map((one) => el('li', null, `${time(one.ns)}, ${this.model.threadName(one.thread_id)}: `,
        visible(one.text), ' ', one.call_id !== null && button('call', 'Zoom to the call', one.call_id)))),
      seen.length > 0 && el('details', null, el('summary', null, `${times(seen.length, 'wait')} for locks here, the longest first${seen.length === LIMIT ? '; there may be more' : ''}`),
        el('ul', { class: 'events' }, seen.map((wait) => el('li', null, `${time(wait.wait_ns)} for ${wait.lock}, ${this.model.threadName(wait.thread_id)} from ${time(wait.start_ns)} `,
          wait.call_id !== null && button('waiting call', 'Zoom to the call that waited', wait.call_id),
          wait.held_by_thread_id !== null && ` held by ${this.model.threadName(wait.held_by_thread_id)} `,
          wait.held_by_call_id !== null && button('holding call', 'Zoom to the call that held it', wait.held_by_call_id))))),
    ];
  }
}
