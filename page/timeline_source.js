// The timeline's calls from a server: what a window needs is asked for when the window has come to rest, or moves on,
// and replaces what the lanes had. A window that was asked for is a little wider than the one shown, so that small steps
// need no answer.
import { el, leftOut, replace } from './dom.js';
import { Flame } from './flame.js';
import { bytes, count, time, times } from './format.js';
import { shareCell, Table } from './table.js';
import { fillLane, freshLanes } from './timeline_lanes.js';
import { Marks } from './timeline_marks.js';
import { framesOfRange, topDown } from './tree.js';

const AROUND = 0.5; // of the window, at each of its sides
const PAUSE_MS = 25; // between a move and the question

// The lanes of the report's data from an answer for the whole run: differences, five numbers a call.
export function lanesOf(answer) {
  return answer.threads.map((thread) => {
    const { id, enter_ns: enter, duration_ns: duration, depth, function_id: functionId } = thread.calls;
    const data = [];
    for (let i = 0; i < id.length; i++) {
      data.push(id[i] - (i > 0 ? id[i - 1] : 0), depth[i], functionId[i], enter[i] - (i > 0 ? enter[i - 1] : 0), duration[i]);
    }
    return { thread_id: thread.thread, calls: thread.entered, least_ns: thread.least_ns, data };
  });
}

export class TimelineSource {
  constructor(server, model, whole) {
    Object.assign(this, { server, model, whole, timer: null, asked: null, had: null });
    model.learn(whole.functions);
    this.say = () => {};
    this.changed = () => {};
    this.marks = new Marks(server, model, () => this.changed());
  }

  // The lanes of the timeline, which this source fills.
  lanes() {
    const made = freshLanes(this.model);
    this.fill(made.lanes, this.whole);
    return made;
  }

  fill(lanes, answer) {
    this.model.learn(answer.functions);
    const byThread = new Map(answer.threads.map((thread) => [thread.thread, thread]));
    for (const lane of lanes) if (byThread.has(lane.thread)) fillLane(this.model, lane, byThread.get(lane.thread), answer.slice_ns);
  }

  // Is what was asked for as good for this view as a new answer?
  enough(view) {
    const { had } = this;
    const length = view.to - view.from;
    return had && had.from <= view.from && had.to >= view.to && had.to - had.from <= length * (1 + 2 * AROUND) * 1.3;
  }

  // The view has moved: calls back once the lanes hold what it needs, if they do not yet.
  want(view, lanes, done) {
    if (this.enough(view)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(view, lanes, done), PAUSE_MS);
  }

  // What ran in a range: its functions and its flame graph, of all threads or of one.
  async tellRange(range, place, thread = null) {
    const holder = el('div', { class: 'range-calls' });
    place.querySelector('.range-calls')?.remove();
    place.append(holder);
    try {
      const answer = await this.server.get('range', { from: Math.round(range.from), to: Math.round(range.to), thread });
      if (!holder.isConnected) return;
      if (answer.functions === null) {
        holder.append(leftOut(`${times(answer.entered, 'call')} began in the range: too many to be told by function.`));
        return;
      }
      this.model.learn(answer.names);
      holder.append(el('h3', null, `All that ran in the range; ${times(answer.entered, 'call')} began there`), this.threadsOf(range, place, thread), this.rangeTable(answer.functions));
      this.drawRange(answer, holder);
    } catch (error) {
      if (holder.isConnected) holder.append(leftOut(error.message));
    }
  }

  threadsOf(range, place, thread) {
    const { threads } = this.model;
    return threads.length > 1 ? el('p', { class: 'controls' }, el('select', { id: 'range-thread', 'aria-label': 'Thread of the range',
      onchange: (event) => this.tellRange(range, place, event.target.value || null) }, el('option', { value: '' }, 'All threads'),
    threads.map((one) => el('option', { value: one.id, selected: String(one.id) === thread }, this.model.threadName(one.id))))) : '';
  }

  rangeTable(functions) {
    const rows = functions.map((one) => ({ ...one, cpu_ns: Math.max(0, one.self_ns - one.wait_ns - one.preempted_ns) }));
    const all = rows.reduce((sum, one) => sum + one.cpu_ns, 0);
    const some = (key) => rows.some((one) => one[key] > 0);
    return new Table({
      label: 'Functions that ran in the range', rows, sort: 'cpu_ns', page: 10,
      columns: [{ key: 'function_id', label: 'Function', value: (row) => this.model.name(row.function_id), show: (row) => this.model.link(row.function_id) },
        { key: 'calls', label: 'Calls', number: true, show: (row) => count(row.calls) },
        { key: 'cpu_ns', label: 'CPU, as measured', number: true, show: (row) => shareCell(time(row.cpu_ns), row.cpu_ns, all) },
        some('wait_ns') && { key: 'wait_ns', label: 'Waiting', number: true, show: (row) => (row.wait_ns > 0 ? time(row.wait_ns) : '') },
        some('bytes') && { key: 'bytes', label: 'Allocated', number: true, title: 'In the range', show: (row) => (row.bytes > 0 ? bytes(row.bytes) : '') }].filter(Boolean),
    }).element;
  }

  // One flame graph, whose contexts change with the range.
  drawRange(answer, holder) {
    this.rangeFrames = framesOfRange(answer.frames);
    this.flame ??= new Flame(this.model, { id: 'range-flame', title: 'Flame graph of the range', part: 'The range',
      tree: (options) => topDown(this.model, { ...options, frames: this.rangeFrames }) });
    holder.append(this.flame.element);
    if (answer.left_out > 0) holder.append(leftOut(`${times(answer.left_out, 'context')} with the least time in the range are left out.`));
    this.flame.measure();
    this.flame.start();
  }

  // Which blocks were live at a moment, by stack.
  async tellLive(ns, place) {
    replace(place, el('p', { class: 'quiet' }, `Looking for the blocks that were live at ${time(ns)} …`));
    try {
      const { blocks, bytes: all, stacks } = await this.server.get('live', { at: ns });
      const name = (row) => (row.function_id === null ? '(outside recorded calls)' : this.model.name(row.function_id));
      replace(place, el('h3', { id: 'live-at', 'data-bytes': String(all) }, `Live at ${time(ns)}: ${bytes(all)} in ${times(blocks, 'block')}`),
        stacks.length > 0 && new Table({ label: 'Who held them', rows: stacks, sort: 'bytes', page: 10, columns: [
          { key: 'function_id', label: 'Allocated by', value: name, show: (row) => (row.function_id === null ? name(row) : this.model.link(row.function_id)) },
          { key: 'bytes', label: 'Bytes', number: true, show: (row) => shareCell(bytes(row.bytes), row.bytes, all) },
          { key: 'blocks', label: 'Blocks', number: true, show: (row) => count(row.blocks) },
          { key: 'kind', label: 'By' },
          { key: 'stack', label: 'Stack', show: (row) => el('span', { class: 'quiet' }, row.stack || '') }] }).element);
    } catch (error) {
      replace(place, leftOut(error.message));
    }
  }

  async ask(view, lanes, done) {
    const length = view.to - view.from;
    const from = Math.max(0, Math.floor(view.from - length * AROUND)), to = Math.ceil(view.to + length * AROUND);
    const pixels = Math.max(1, Math.min(8000, Math.round(((to - from) / length) * view.width)));
    if (this.asked) this.asked.abort();
    const asked = new AbortController();
    this.asked = asked;
    const begun = performance.now();
    try {
      const answer = await this.server.get('timeline', { from, to, pixels }, asked.signal);
      this.had = { from, to };
      this.fill(lanes, answer);
      done({ ms: performance.now() - begun, answer });
    } catch (error) {
      if (error.name !== 'AbortError') this.say(error.message);
    }
    if (this.asked === asked) this.asked = null;
  }
}
