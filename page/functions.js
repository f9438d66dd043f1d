// The table of functions, and for one of them: its figures, its histogram of times, who calls it and
// whom it calls (the hierarchical report), its fastest and slowest call with their stacks.
import { el, leftOut, replace, section, svg } from './dom.js';
import { bytes, count, percent, time, timeWithin, timeACall, times } from './format.js';
import { objects } from './model.js';
import { limitsNote } from './run.js';
import { shareCell, Table } from './table.js';
import { Values } from './values.js';

// Its role, where all its calls have one: initializer, thread's finalizer, ...
const markOf = (row) => row.mark && el('span', { class: 'mark' }, ` ${row.mark}`);

export function functionsTable(model) {
  const cpu = model.totals.cpu_ns;
  const median = model.functions.some((one) => one.median_ns !== null);
  const perCall = (ns) => (ns === null ? '-' : timeACall(ns, model.hooksNs));
  const columns = [
    { key: 'name', label: 'Function', show: (row) => [model.link(row.id), markOf(row)],
      text: (row) => `${row.name} ${model.fullName(row.id)} ${row.mark || ''} ${model.mapped.get(row.id) || ''}` },
    { key: 'location', label: 'Defined at', text: (row) => row.location, show: (row) => el('span', { class: 'quiet' }, model.place(row.id, row.location)) },
    { key: 'cpu_ns', label: 'Self CPU', short: 'CPU', title: "Processor time in the function's own body, the recording's cost taken out", number: true,
      show: (row) => shareCell(timeWithin(row.cpu_ns, row.doubt_ns), row.cpu_ns, cpu) },
    { key: 'share', label: 'Share', number: true, value: (row) => row.cpu_ns, show: (row) => percent(row.cpu_ns, cpu) },
    { key: 'total_cpu_ns', label: 'Total CPU', title: 'With what it called; outermost calls only', number: true, show: (row) => time(row.total_cpu_ns) },
    { key: 'calls', label: 'Calls', number: true, show: (row) => count(row.calls) },
    model.hasWaits && { key: 'waits_ns', label: 'Waiting', short: 'waits', title: 'In the function itself, off the processor of its own accord', number: true, show: (row) => (row.waits_ns ? time(row.waits_ns) : '') },
    median ? { key: 'median_ns', label: 'Median', title: 'Of the calls that ended', number: true, show: (row) => perCall(row.median_ns) }
      : { key: 'mean_ns', label: 'Mean', title: 'Of the calls that ended', number: true, show: (row) => perCall(row.mean_ns) },
    { key: 'max_ns', label: 'Longest', number: true, show: (row) => time(row.max_ns) },
    { key: 'bytes', label: 'Allocated', short: 'memory', title: 'By its own code', number: true, show: (row) => (row.bytes ? bytes(row.bytes) : '') },
  ].filter(Boolean);
  const table = new Table({ columns, rows: model.shown, sort: 'cpu_ns', label: 'Functions', search: 'Search functions and files',
    cards: ['cpu_ns', 'calls', 'waits_ns', 'bytes'], enter: (row) => { location.hash = model.anchor(row.id); } });
  model.onCode(() => {
    table.rows = model.shown;
    table.update();
  });
  const element = section('functions', 'Functions', table.element, limitsNote(model),
    model.data.functions.left_out > 0 && leftOut(`${times(model.data.functions.left_out, 'function')} with the least time and `
      + 'fewest calls are left out: fisql query hot-functions has them.'));
  return { element, table };
}

// ---- one function ----

const LABEL = 50; // px, of the last time

export function histogram(text) {
  const numbers = text.split(' ').map(Number);
  const bars = new Map();
  for (let i = 0; i + 1 < numbers.length; i += 2) bars.set(numbers[i], numbers[i + 1]);
  const from = Math.min(...bars.keys()), to = Math.max(...bars.keys());
  const most = Math.max(...bars.values());
  const room = Math.min(640, document.documentElement.clientWidth - LABEL - 40);
  const wide = Math.max(8, Math.min(48, room / (to - from + 1))), high = 110;
  const width = (to - from + 1) * wide;
  const parts = [];
  for (let log = from; log <= to; log++) {
    const value = bars.get(log) || 0;
    const height = value > 0 ? Math.max(2, (high * value) / most) : 0;
    const x = (log - from) * wide;
    const label = `${time(log === 0 ? 0 : 2 ** log)} to ${time(2 ** (log + 1))}: ${times(value, 'call')}`;
    parts.push(svg('g', null, svg('title', null, label),
      svg('rect', { class: 'hit', x, y: 0, width: wide, height: high + 18 }),
      svg('rect', { class: 'bar', x: x + 1, y: high - height, width: wide - 2, height })));
    if ((log - from) % Math.ceil(56 / wide) === 0) {
      parts.push(svg('text', { x, y: high + 14, class: 'tick' }, time(log === 0 ? 0 : 2 ** log).replace(/\.0+ /, ' ')));
    }
  }
  return el('div', { class: 'scroll' }, svg('svg', { class: 'histogram', width: width + LABEL, height: high + 20, role: 'img',
    'aria-label': `Histogram of ${times([...bars.values()].reduce((a, b) => a + b, 0), 'call')} by time, from ${time(2 ** from)} to ${time(2 ** (to + 1))}` }, parts));
}

// Callers or callees, call sites of one function put together.
export function relatives(model, edges, key) {
  const rows = new Map();
  for (const edge of edges || []) {
    const id = edge[key];
    if (!rows.has(id)) rows.set(id, { id, calls: 0, cpu_ns: 0, self_cpu_ns: 0, wait_ns: 0, sites: [] });
    const row = rows.get(id);
    row.calls += edge.calls;
    row.cpu_ns += edge.cpu_ns;
    row.self_cpu_ns += edge.self_cpu_ns;
    row.wait_ns += edge.wait_ns;
    const site = model.siteLocation(edge.site_id);
    if (site && !row.sites.includes(site)) row.sites.push(site);
  }
  return [...rows.values()];
}

function relativesTable(model, label, rows, whole) {
  const columns = [
    { key: 'name', label, value: (row) => (row.id === null ? '' : model.name(row.id)), text: (row) => (row.id === null ? '' : model.name(row.id)),
      show: (row) => (row.id === null ? el('span', { class: 'quiet' }, '(no recorded caller)') : model.link(row.id)) },
    { key: 'calls', label: 'Calls', number: true, show: (row) => shareCell(count(row.calls), row.calls, whole) },
    { key: 'cpu_ns', label: 'Total CPU', number: true, show: (row) => time(row.cpu_ns), title: "The callee's processor time in these calls with what it called" },
    { key: 'self_cpu_ns', label: 'Self CPU', number: true, show: (row) => time(row.self_cpu_ns), title: "The callee's own in these calls" },
    model.hasWaits && { key: 'wait_ns', label: 'Waiting', number: true, show: (row) => (row.wait_ns ? time(row.wait_ns) : '') },
    { key: 'sites', label: 'From', value: (row) => row.sites[0] || '',
      show: (row) => el('span', { class: 'quiet' }, row.sites.slice(0, 3).join(', ') + (row.sites.length > 3 ? `, and ${row.sites.length - 3} more` : '')) },
  ].filter(Boolean);
  return new Table({ columns, rows, sort: 'calls', label, page: 12, cards: ['calls', 'cpu_ns', 'wait_ns', 'sites'] }).element;
}

export function stackList(model, frameId) {
  const frames = model.shownStack(frameId);
  if (frames.length === 0) return leftOut('This stack is left out: fisql stack tells it.');
  return el('ol', { class: 'stack' }, frames.map((frame) => {
    const site = model.siteLocation(frame.siteId);
    return el('li', null, model.link(frame.functionId), site && el('span', { class: 'quiet' }, ` called at ${site}`));
  }));
}

function extreme(model, word, call, ns) {
  if (!call) return null;
  return el('div', { class: 'extreme' }, el('h4', null, `${word} call: ${time(ns)}`),
    el('p', { class: 'quiet' }, model.served ? el('a', { href: `#call:${call.id}` }, `call ${call.id}`) : `call ${call.id}`, `, from ${time(call.enter_ns)}, ${model.threadName(call.thread_id)}; `
      + `${time(call.duration_ns)} as measured, ${times(call.descendants, 'call')} within`),
    call.text && el('p', null, el('code', null, call.text)), stackList(model, call.frame_id));
}

const fact = (label, value) => el('div', null, el('dt', null, label), el('dd', null, value));

export class FunctionPage {
  constructor(model, { flame, timeline }) {
    this.model = model;
    this.flame = flame;
    this.timeline = timeline;
    this.histograms = new Map(model.data.durations.rows);
    this.fastest = new Map(objects(model.data.fastest).map((call) => [call.function_id, call]));
    this.slowest = new Map(objects(model.data.slowest).map((call) => [call.function_id, call]));
    this.values = new Values(model);
    this.element = section('function', 'A function');
    this.body = el('div');
    this.element.append(this.body);
    const first = model.shown.reduce((best, one) => (!best || one.cpu_ns > best.cpu_ns ? one : best), null);
    if (first) this.show(first.id);
    else replace(this.body, el('p', { class: 'nothing' }, 'No calls were recorded.'));
  }

  show(id) {
    const stats = this.model.functionById.get(id);
    if (!stats) return null;
    const article = el('article', { id: `function-${id}`, tabindex: '-1' }, this.head(stats), this.figures(stats),
      this.times(stats), this.values.show(stats.id), this.related(stats), this.extremes(stats));
    replace(this.body, article);
    return article;
  }

  head(stats) {
    const file = this.model.named.get(stats.id).file;
    const full = this.model.fullName(stats.id);
    return [el('h3', null, stats.name, markOf(stats)), full !== stats.name && el('p', { class: 'quiet full-name' }, full), el('p', { class: 'quiet' },
      file !== null ? this.model.place(stats.id, `${this.model.files.get(file)}:${this.model.named.get(stats.id).line || '?'}`) : stats.location),
    el('p', { class: 'controls' },
      el('button', { type: 'button', onclick: () => this.timeline.showLongest(stats.id) }, 'Longest call in the timeline'),
      el('button', { type: 'button', onclick: () => this.flame.showFunction(stats.id) }, 'Show in the flame graph'))];
  }

  figures(stats) {
    const { totals } = this.model;
    return el('dl', { class: 'figures' },
      fact('Calls', count(stats.calls)), fact('Self CPU', `${time(stats.cpu_ns)} (${percent(stats.cpu_ns, totals.cpu_ns)})`),
      fact('Total CPU', time(stats.total_cpu_ns)),
      stats.wait_ns > 0 && fact('Waiting', `${time(stats.self_wait_ns)} itself, ${time(stats.wait_ns)} in all`),
      stats.preempted_ns > 0 && fact('Put aside', time(stats.preempted_ns)),
      stats.paused_ns > 0 && fact('Paused', `${time(stats.paused_ns)}, not in its own time`),
      fact('Self, the clock\'s time', time(stats.raw_self_ns)),
      stats.median_ns !== null && fact('Median', timeACall(stats.median_ns, this.model.hooksNs)),
      stats.p99_ns !== null && fact('99 of 100 within', timeACall(stats.p99_ns, this.model.hooksNs)),
      fact('Mean', stats.mean_ns === null ? '-' : timeACall(stats.mean_ns, this.model.hooksNs)),
      fact('Deviation', stats.deviation_ns === null ? '-' : time(Math.round(stats.deviation_ns))),
      fact('Fastest', stats.min_ns === null ? '-' : timeACall(stats.min_ns, this.model.hooksNs)), fact('Slowest', time(stats.max_ns)),
      fact('Callers, callees', `${count(stats.callers)}, ${count(stats.callees)}`), fact('Deepest stack', count(stats.depth_max)),
      stats.recursive_calls > 0 && fact('Recursive calls', count(stats.recursive_calls)),
      stats.unwound > 0 && fact('Unwound', count(stats.unwound)), stats.open > 0 && fact('Still open at the end', count(stats.open)),
      stats.allocs > 0 && fact('Allocated itself', `${bytes(stats.alloc_bytes)} in ${times(stats.allocs, 'block')}`),
      stats.total_alloc_bytes > 0 && fact('Allocated within', bytes(stats.total_alloc_bytes)),
      stats.size > 0 && fact('Code', bytes(stats.size)));
  }

  times(stats) {
    const text = this.histograms.get(stats.id);
    return [el('h4', null, 'Times of its calls'), text ? histogram(text)
      : el('p', { class: 'nothing' }, stats.finished > 0 ? 'The histogram is left out.' : 'No call of it ended.')];
  }

  related(stats) {
    const callers = relatives(this.model, this.model.callers.get(stats.id), 'caller_id');
    const callees = relatives(this.model, this.model.callees.get(stats.id), 'callee_id');
    const sum = (rows) => rows.reduce((all, row) => all + row.calls, 0);
    const missing = this.model.data.edges.left_out > 0;
    return el('div', { class: 'columns' },
      el('div', { class: 'callers' }, el('h4', null, `Callers (${count(callers.length)})`),
        callers.length > 0 ? relativesTable(this.model, 'Caller', callers, stats.calls) : el('p', { class: 'nothing' }, 'None.'),
        missing && sum(callers) < stats.calls && leftOut(`${times(stats.calls - sum(callers), 'call')} from call sites that are left out.`)),
      el('div', { class: 'callees' }, el('h4', null, `Callees (${count(callees.length)})`),
        callees.length > 0 ? relativesTable(this.model, 'Callee', callees, sum(callees)) : el('p', { class: 'nothing' }, 'None.'),
        missing && callees.length < stats.callees && leftOut(`${times(stats.callees - callees.length, 'callee')} left out.`)));
  }

  extremes(stats) {
    const slow = this.slowest.get(stats.id), fast = this.fastest.get(stats.id);
    if (!slow && !fast) {
      return leftOut(this.model.totals.call_rows === 0 ? 'The database has no rows of single calls (fisql load --summary).'
        : 'Its fastest and slowest call are left out.');
    }
    return el('div', { class: 'columns' }, extreme(this.model, 'Slowest', slow, stats.max_ns),
      extreme(this.model, 'Fastest', fast, stats.min_ns));
  }
}
