// The timeline's lanes: one a thread, with its longest calls, its notes, the gaps in which it was off the
// processor, and those in which the recording wrote its log. Each call has a row; where own code is shown alone, the calls of libraries within
// it have none, and what is below them moves up.
import { objects } from './model.js';
import { CHAIN } from './tree.js';

// Where a row is drawn.
export const drawnRow = (lane, row) => Math.max(0, row - lane.fold);

export const ROWS_MAX = 400; // of a lane

// Takes the calls of a lane: five numbers each, as callAt(i) gives them, in the order of their entries.
function takeCalls(lane, size, callAt) {
  Object.assign(lane, { ids: [], depths: [], functions: [], enters: [], durations: [], tooDeep: 0 });
  for (let i = 0; i < size; i++) {
    const [id, depth, functionId, enter, duration] = callAt(i);
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
}

// The calls of a lane in arrays, from its numbers (cli/report/report_timeline.c).
function readLane(model, data) {
  const size = data.data.length / 5;
  const lane = { thread: data.thread_id, calls: data.calls, least: data.least_ns, ids: [], depths: [],
    functions: [], enters: [], durations: [], rowOf: [], rows: 1, base: 0, tooDeep: 0, notes: [], gaps: [], pauses: [], recordings: [], shorts: [], slots: [], slices: [], collapsed: false };
  let id = 0, enter = 0;
  takeCalls(lane, size, (i) => {
    const [step, depth, functionId, later, duration] = data.data.slice(5 * i, 5 * i + 5);
    id += step;
    enter += later;
    return [id, depth, functionId, enter, duration];
  });
  // A forked child goes on within its parent's calls: its rows begin at its own outermost.
  lane.base = lane.depths.reduce((least, depth) => Math.min(least, depth), lane.depths[0] || 0);
  const thread = model.threadById.get(data.thread_id) || {};
  lane.start = thread.start_ns ?? 0;
  lane.end = Math.max(thread.end_ns ?? model.totals.end_ns, lane.start);
  lane.waitNs = thread.wait_ns || 0;
  lane.asideNs = thread.preempted_ns || 0;
  lane.cpuNs = Math.max(0, (thread.self_ns || 0) - lane.waitNs - lane.asideNs);
  lane.name = model.threadName(data.thread_id);
  return lane;
}

// Which row each call is drawn in; -1 = in none. under: the row of the call, or of the shown one around it.
function arrange(model, lane) {
  const fold = model.hasLibraries && !model.allCode;
  const rowAt = []; // by depth, of the calls around
  const ownAt = [];
  lane.rows = 1;
  lane.under = [];
  lane.rowOf = lane.depths.map((deep, i) => {
    const depth = deep - lane.base;
    const above = depth > 0 ? rowAt[depth - 1] ?? -1 : -1;
    const inOwn = depth > 0 && ownAt[depth - 1] === true;
    const own = model.isOwn(lane.functions[i]);
    const shown = !fold || own || !inOwn;
    rowAt[depth] = shown ? above + 1 : above;
    ownAt[depth] = own || inOwn;
    lane.under[i] = Math.max(0, rowAt[depth]);
    lane.rows = Math.max(lane.rows, rowAt[depth] + 1);
    return shown ? rowAt[depth] : -1;
  });
  for (const gap of [...lane.gaps, ...lane.recordings]) gap.row = rowOfGap(lane, gap);
  foldChain(lane);
}

// The outermost calls, where each does next to nothing but the next one, such as from main to the function that does a
// command's work, are drawn as one: the rows above `fold` are not, and chain has their calls and that of row `fold`.
function foldChain(lane) {
  const only = new Array(lane.rows).fill(-1); // the one call of a row; -2: there are more
  lane.rowOf.forEach((row, i) => { if (row >= 0) only[row] = only[row] === -1 ? i : -2; });
  let last = 0;
  while (last + 1 < lane.rows && only[last] >= 0 && only[last + 1] >= 0 && lane.durations[only[last + 1]] >= 0.99 * lane.durations[only[last]]) last++;
  lane.fold = last + 1 >= CHAIN ? last : 0;
  lane.chain = lane.fold > 0 ? only.slice(0, last + 1) : [];
}

function indexOf(ids, id) {
  let low = 0, high = ids.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (ids[middle] === id) return middle;
    if (ids[middle] < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function rowOfGap(lane, gap) {
  const at = gap.call_id === null ? -1 : indexOf(lane.ids, gap.call_id);
  if (at >= 0) return lane.under[at];
  return gap.depth === null ? 0 : Math.max(0, Math.min(lane.rows - 1, gap.depth - lane.base));
}

// {lanes, notes, gaps}, the same for all who ask; the lanes are arranged anew when the code shown changes.
export function readLanes(model) {
  if (!model.timeline) {
    model.timeline = makeLanes(model);
    model.onCode(() => model.timeline.lanes.forEach((lane) => arrange(model, lane)));
  }
  return model.timeline;
}

// Lanes that one drawing has for itself.
export function freshLanes(model) {
  const made = makeLanes(model);
  model.onCode(() => made.lanes.forEach((lane) => arrange(model, lane)));
  return made;
}

// Puts a server's answer (docs/api.md, timeline) in the place of the lane's calls. Its rows grow and do not shrink, so
// that the lanes stay where they are while one moves.
export function fillLane(model, lane, thread, sliceNs) {
  const { id, depth, function_id: functions, enter_ns: enters, duration_ns: durations } = thread.calls;
  const rows = lane.rows;
  takeCalls(lane, id.length, (i) => [id[i], depth[i], functions[i], enters[i], durations[i]]);
  lane.base = lane.depths.reduce((least, one) => Math.min(least, one), lane.base);
  lane.least = thread.least_ns;
  lane.whole = thread.whole === 1;
  lane.entered = thread.entered;
  lane.slices = thread.slices.map(([slice, calls, short, functionId, ns]) => ({ start_ns: slice * sliceNs, wall_ns: sliceNs, calls, short_ns: short, functionId, ns }));
  if (thread.gaps) {
    lane.gapsKept ??= lane.gaps;
    lane.gaps = thread.gaps.map(([start, wall, wait, preempted, call]) => ({ start_ns: start, wall_ns: wall, wait_ns: wait, preempted_ns: preempted,
      call_id: call, depth: null, function_id: functions[indexOf(id, call)] ?? null, thread_id: lane.thread })).sort((a, b) => a.start_ns - b.start_ns);
  } else if (lane.gapsKept) {
    lane.gaps = lane.gapsKept;
  }
  arrange(model, lane);
  Object.assign(lane, { rows: Math.max(rows, lane.rows), fold: 0, chain: [] });
}

// Of gaps that are too many to be told one by one their sums (shorts, by function), and for drawing those of a slot
// of time, whatever the function (slots, in order); less the gaps that are told.
function addShortGaps(lane, sums, slotNs) {
  const told = new Map();
  for (const gap of lane.gaps) {
    if (gap.wall_ns >= slotNs) continue;
    const key = `${gap.function_id} ${Math.floor(gap.start_ns / slotNs)} ${gap.paused}`;
    const one = told.get(key) || { wait: 0, aside: 0, waits: 0 };
    told.set(key, { wait: one.wait + gap.wait_ns, aside: one.aside + gap.preempted_ns, waits: one.waits + (isAside(gap) ? 0 : 1) });
  }
  const slots = new Map();
  for (const sum of sums) {
    const less = told.get(`${sum.function_id} ${sum.slot} ${sum.paused}`) || { wait: 0, aside: 0, waits: 0 };
    const wait = Math.max(0, sum.wait_ns - less.wait), aside = Math.max(0, sum.preempted_ns - less.aside);
    if (wait + aside === 0) continue;
    const from = sum.slot * slotNs;
    lane.shorts.push({ function_id: sum.function_id, start_ns: from, wall_ns: slotNs, wait_ns: wait, preempted_ns: aside, waits: sum.waits - less.waits,
      paused: sum.paused });
    const slot = slots.get(sum.slot) || { start_ns: from, wall_ns: slotNs, wait_ns: 0, preempted_ns: 0 };
    slot.wait_ns += wait;
    slot.preempted_ns += aside;
    slots.set(sum.slot, slot);
  }
  lane.slots = [...slots.values()].sort((a, b) => a.start_ns - b.start_ns);
}

function makeLanes(model) {
  const lanes = model.data.lanes.map((lane) => readLane(model, lane));
  const byThread = new Map(lanes.map((lane) => [lane.thread, lane]));
  const notes = objects(model.data.notes), gaps = objects(model.data.gaps);
  const shorts = new Map();
  for (const sum of objects(model.data.short_gaps)) shorts.set(sum.thread_id, [...shorts.get(sum.thread_id) || [], sum]);
  for (const note of notes) if (byThread.has(note.thread_id)) byThread.get(note.thread_id).notes.push(note);
  for (const gap of gaps) if (byThread.has(gap.thread_id)) byThread.get(gap.thread_id).gaps.push(gap);
  for (const pause of objects(model.data.pauses)) {
    const lane = byThread.get(pause.thread_id), at = lane ? indexOf(lane.ids, pause.call_id) : -1;
    if (at >= 0) lane.pauses.push({ at, start_ns: pause.start_ns, paused_ns: pause.paused_ns });
  }
  for (const gap of objects(model.data.recording)) {
    if (byThread.has(gap.thread_id)) byThread.get(gap.thread_id).recordings.push({ ...gap, recording: true });
  }
  for (const lane of lanes) {
    lane.recordings.sort((a, b) => a.start_ns - b.start_ns);
    lane.gaps.sort((a, b) => a.start_ns - b.start_ns);
    for (const gap of lane.gaps) lane.end = Math.max(lane.end, gap.start_ns + gap.wall_ns);
    addShortGaps(lane, shorts.get(lane.thread) || [], model.data.slot_ns);
    arrange(model, lane);
  }
  return { lanes, notes, gaps };
}

export const orders = {
  start: ['as they began', (a, b) => a.start - b.start || a.thread - b.thread],
  cpu: ['most CPU first', (a, b) => b.cpuNs - a.cpuNs || a.thread - b.thread],
  wait: ['most waiting first', (a, b) => b.waitNs - a.waitNs || a.thread - b.thread],
  calls: ['most calls first', (a, b) => b.calls - a.calls || a.thread - b.thread],
  name: ['by name', (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.thread - b.thread)],
};

// What the recording took of a call: in no time of the call's.
export function recordingWithin(lane, start, length) {
  return lane.recordings.reduce((sum, gap) => sum + (gap.start_ns >= start && gap.start_ns + gap.wall_ns <= start + length ? gap.wall_ns : 0), 0);
}

// Where a gap's time went.
export const isAside = (gap) => gap.preempted_ns > gap.wait_ns;
