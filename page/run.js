// The run itself: whether the recording is complete, its processes, modules without full names, and
// what the recording cost.
import { el, leftOut, section } from './dom.js';
import { count, percent, time, times, visible } from './format.js';
import { objects } from './model.js';

function ending(process) {
  if (process.how_ended === 'signal') return `ended by signal ${process.signal}`;
  if (process.how_ended === null) return 'still running';
  return `exit status ${process.status}`;
}

const limitsOf = (model) => objects(model.data.limits || { columns: [], rows: [] });

const LIMITS_SAID = 3; // as beneath the tables of fisql query

// Above a ranking: what it lacks, where something was left out while the program ran.
export function limitsNote(model) {
  const limits = limitsOf(model);
  const more = limits.length - LIMITS_SAID + (limits.length > 0 ? model.data.limits.left_out : 0);
  return limits.length > 0 && leftOut(`Recording was restricted ${limits.slice(0, LIMITS_SAID).map((limit) => visible(limit.text)).join('; ')}${
    more > 0 ? `; and ${times(more, 'time')} more: section The run has them` : ''}.`);
}

// One line where all is well.
export function completeness(model) {
  const losses = objects(model.data.losses);
  const anomalies = objects(model.data.anomalies);
  const items = losses.map((loss) => el('li', null, visible(loss.reason), loss.detail && `: ${visible(loss.detail)}`,
    loss.calls && ` (${times(loss.calls, 'call')})`));
  const limits = limitsOf(model);
  const complete = model.totals.losses === 0;
  const counted = model.totals.calls - model.totals.call_rows;
  const nothing = losses.some((loss) => loss.reason === 'nothing was recorded');
  const state = nothing ? 'Nothing was recorded.' : complete ? (limits.length > 0 ? 'The recording is complete but for what was left out.' : 'The recording is complete.') : 'The recording is not complete.';
  return el('div', { class: complete ? 'complete' : 'incomplete' },
    el('p', null, el('strong', null, state),
      counted > 0 && ` ${times(counted, 'call')} were only counted, or their rows were left out of the database.`),
    !complete && el('ul', null, items),
    limits.length > 0 && el('p', null, 'Left out while the program ran; counts and times on this page lack it:'),
    limits.length > 0 && el('ul', null, limits.map((limit) => el('li', null, visible(limit.text)))),
    limits.length > 0 && model.data.limits.left_out > 0 && leftOut(`${count(model.data.limits.left_out)} more are in the view recording_limits.`),
    model.data.losses.left_out > 0 && leftOut(`${count(model.data.losses.left_out)} more losses are in the table losses.`),
    anomalies.length > 0 && el('details', null,
      el('summary', null, `${times(model.totals.anomalies, 'anomaly', 'anomalies')} in how calls ended`),
      el('ul', null, anomalies.map((one) => el('li', null, `${visible(one.kind)}: ${count(one.times)} times`,
        one.function_id && [', ', model.link(one.function_id)], `, first at ${time(one.first_ns)}`,
        one.detail && ` (${visible(one.detail)})`)))));
}

// How far times may be off after the recording's cost was taken out, in words.
export function timesError(model) {
  const { errorNs, totals, run } = model;
  if (errorNs <= 0) return '';
  const much = run.get('hook_cost_source') !== 'reference' && errorNs * 10 > totals.cpu_ns;
  return `; may be off by ${time(errorNs)} of ${time(totals.cpu_ns)}, as the recording's own cost was ${
    run.get('hook_cost_source') === 'reference' ? 'measured by a run without it' : `estimated${much ? ': fisql record --reference measures it' : ''}`}`;
}

export function aboutRun(model) {
  const { totals } = model;
  const cost = totals.raw_self_ns - totals.self_ns;
  const processes = objects(model.data.processes);
  const problems = [...model.modules.values()].filter((one) => one.problem);
  return section('run', 'The run', completeness(model),
    el('p', null, `Time in instrumented code: ${time(totals.self_ns)} over all threads; the recording's own known cost, `
      + `${time(cost)} (${percent(cost, totals.raw_self_ns)} of what was measured), is taken out of it and of all `
      + `figures here but the timeline, which shows times as measured${timesError(model)}.`),
    el('div', { class: 'scroll' }, el('table', { class: 'plain' }, el('thead', null, el('tr', null, ['Process', 'Command', 'Started', 'Ran', 'Ended'].map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', null, processes.slice(0, 200).map((one) => el('tr', null,
        el('td', null, `${one.pid} (${one.origin || '?'})`), el('td', null, visible(one.command || one.executable || '?')),
        el('td', null, time(one.start_ns)), el('td', null, one.end_ns === null ? '-' : time(one.end_ns - one.start_ns)),
        el('td', null, ending(one))))))),
    processes.length > 200 && leftOut(`${count(processes.length - 200)} more processes are in the table processes.`),
    problems.length > 0 && el('details', null, el('summary', null, `${times(problems.length, 'module')} without full names`),
      el('ul', null, problems.map((one) => el('li', null, `${visible(one.path)}: ${visible(one.problem)}`)))),
    el('p', { class: 'quiet' }, 'All that is known of the run: fisql info.'));
}
