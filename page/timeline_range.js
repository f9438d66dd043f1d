// What happened in a selected range of the timeline, as far as the page has its calls: how long, what
// each thread did, the functions that took the time, waits, and how live memory changed.
import { el, leftOut } from './dom.js';
import { bytes, percent, time, times } from './format.js';
import { objects } from './model.js';
import { isAside } from './timeline_lanes.js';

const FUNCTIONS = 8, THREADS = 8;
const overlap = (from, length, range) => Math.max(0, Math.min(from + length, range.to) - Math.max(from, range.from));

// How much of a pause lies in the range: it goes on behind the callees that were called in it.
function pausedWithin(lane, pause, range) {
  const depth = lane.depths[pause.at];
  let from = pause.start_ns, left = pause.paused_ns, sum = 0;
  const piece = (length) => {
    sum += overlap(from, length, range);
    left -= length;
  };
  for (let i = pause.at + 1; i < lane.ids.length && lane.depths[i] > depth && left > 0; i++) {
    if (lane.depths[i] > depth + 1 || lane.enters[i] < from) continue;
    piece(Math.min(left, lane.enters[i] - from));
    from = lane.enters[i] + lane.durations[i];
  }
  if (left > 0) piece(left);
  return sum;
}

// The call that has a row: a library's call is part of the one around it.
function shownAt(lane, from) {
  let at = from;
  while (at > 0 && lane.rowOf[at] < 0) {
    const depth = lane.depths[at];
    while (at > 0 && lane.depths[at] >= depth) at--;
  }
  return at;
}

// The innermost call of the page in which the gap lies; -1 = none.
function callAround(lane, gap) {
  let low = 0, high = lane.ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.ids[middle] <= gap.call_id) low = middle + 1;
    else high = middle;
  }
  let at = low - 1;
  while (at >= 0 && lane.enters[at] + lane.durations[at] < gap.start_ns + gap.wall_ns) at--;
  return at;
}

// The time of each function itself within the range, of calls that have a row: {calls, own: by function}.
function selfTimes(lane, range) {
  const open = []; // indexes of the calls around, by row
  const byCall = new Map(); // its time in the range less that of its callees
  let calls = 0;
  for (let i = 0; i < lane.ids.length; i++) {
    const row = lane.rowOf[i];
    if (row < 0) continue;
    open[row] = i;
    open.length = row + 1;
    const inside = overlap(lane.enters[i], lane.durations[i], range);
    if (inside === 0 && (lane.enters[i] < range.from || lane.enters[i] > range.to)) continue;
    if (lane.enters[i] >= range.from && lane.enters[i] <= range.to) calls++;
    byCall.set(i, (byCall.get(i) || 0) + inside);
    const above = row > 0 ? open[row - 1] : undefined;
    if (above !== undefined) byCall.set(above, (byCall.get(above) || 0) - inside);
  }
  for (const pause of lane.pauses) {
    const at = shownAt(lane, pause.at);
    if (byCall.has(at)) byCall.set(at, byCall.get(at) - pausedWithin(lane, pause, range));
  }
  for (const gap of lane.recordings) {
    const at = shownAt(lane, callAround(lane, gap));
    if (byCall.has(at)) byCall.set(at, byCall.get(at) - overlap(gap.start_ns, gap.wall_ns, range));
  }
  const own = new Map();
  for (const [i, ns] of byCall) own.set(lane.functions[i], (own.get(lane.functions[i]) || 0) + Math.max(0, ns));
  return { calls, own };
}

// Waiting and time put aside in the range: as much of a gap's as the range has of the gap. It is taken out of the
// functions' own times; what belongs to functions that are not shown, out of all, as it lies in their callers.
function offTimes(lane, range, own) {
  const sum = { wait: 0, aside: 0, waits: 0 };
  let elsewhere = 0;
  for (const gap of [...lane.gaps, ...lane.shorts]) {
    const inside = overlap(gap.start_ns, gap.wall_ns, range);
    if (inside === 0) continue;
    const part = inside / Math.max(1, gap.wall_ns);
    sum.wait += gap.wait_ns * part;
    sum.aside += gap.preempted_ns * part;
    sum.waits += gap.waits === undefined ? (isAside(gap) ? 0 : 1) : gap.waits * part;
    if (gap.paused) continue; // the pause is not in their own time
    const off = (gap.wait_ns + gap.preempted_ns) * part, had = own.get(gap.function_id) || 0;
    own.set(gap.function_id, Math.max(0, had - off));
    if (gap.function_id !== null) elsewhere += Math.max(0, off - had);
  }
  const all = [...own.values()].reduce((total, ns) => total + ns, 0);
  const left = all > 0 ? Math.max(0, 1 - elsewhere / all) : 0;
  for (const [id, ns] of own) own.set(id, ns * left);
  return { ...sum, waits: Math.round(sum.waits) };
}

function liveAt(rows, ns) {
  let live = 0;
  for (const row of rows) {
    if (row.end_ns > ns) break;
    live = row.live_bytes;
  }
  return live;
}

export function rangeSummary(model, lanes, range, { zoom, clear }) {
  const spent = new Map();
  const threads = [];
  let calls = 0;
  for (const lane of lanes) {
    const alive = overlap(lane.start, lane.end - lane.start, range);
    if (alive === 0) continue;
    const { calls: begun, own } = selfTimes(lane, range);
    const off = offTimes(lane, range, own);
    for (const [id, ns] of own) spent.set(id, (spent.get(id) || 0) + ns);
    calls += begun;
    threads.push({ lane, alive, calls: begun, ...off });
  }
  const list = [...spent].map(([id, ns]) => ({ id, ns })).sort((a, b) => b.ns - a.ns);
  const all = list.reduce((sum, one) => sum + one.ns, 0);
  const memory = objects(model.data.memory);
  const change = liveAt(memory, range.to) - liveAt(memory, range.from);
  const length = range.to - range.from;
  threads.sort((a, b) => b.alive - b.wait - b.aside - (a.alive - a.wait - a.aside));
  const cut = lanes.some((lane) => lane.least > 0);
  return el('div', { class: 'range' },
    el('p', null, el('strong', null, time(Math.round(length))), ` selected, from ${time(Math.round(range.from))}: `,
      `${times(calls, 'call')} begun${cut ? ' of those shown' : ''}, `, change !== 0 && `live memory ${change > 0 ? '+' : '−'}${bytes(Math.abs(change))}, `,
      `${times(threads.reduce((sum, one) => sum + one.waits, 0), 'wait')} `,
      el('button', { type: 'button', class: 'act', onclick: zoom }, 'Zoom to it'), ' ', el('button', { type: 'button', class: 'act', onclick: clear }, 'Clear')),
    el('div', { class: 'columns' },
      el('table', { class: 'plain' }, el('thead', null, el('tr', null, el('th', null, 'Function'), el('th', { class: 'number' }, 'CPU itself'), el('th', { class: 'number' }, 'Share'))),
        el('tbody', null, list.slice(0, FUNCTIONS).filter((one) => one.ns > 0).map((one) => el('tr', null, el('td', null, model.link(one.id)),
          el('td', { class: 'number' }, time(Math.round(one.ns))), el('td', { class: 'number' }, percent(one.ns, all)))))),
      el('table', { class: 'plain' }, el('thead', null, el('tr', null, ['Thread', 'Waiting', 'Put aside', 'Calls'].map((name, i) => el('th', { class: i > 0 && 'number' }, name)))),
        el('tbody', null, threads.slice(0, THREADS).map((one) => el('tr', null, el('td', null, one.lane.name),
          el('td', { class: 'number' }, time(Math.round(one.wait))), el('td', { class: 'number' }, time(Math.round(one.aside))), el('td', { class: 'number' }, String(one.calls)))))),
      threads.length > THREADS && leftOut(`${times(threads.length - THREADS, 'thread')} more.`)));
}
