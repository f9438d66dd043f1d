// The summary: what ran, how long, how complete the recording is, and what each analysis found with
// its advice.
import { el, leftOut, section } from './dom.js';
import { byUnit, bytes, count, percent, time, times, visible } from './format.js';
import { objects } from './model.js';

const tile = (label, value, note) =>
  el('div', { class: 'tile' }, el('dt', null, label), el('dd', null, value, note && el('small', null, note)));

function tiles(model) {
  const { totals, run } = model;
  const started = Number(run.get('started'));
  return el('dl', { class: 'tiles' },
    tile('Run time', time(totals.end_ns), started ? new Date(started * 1000).toISOString().slice(0, 16).replace('T', ' ') + ' UTC' : ''),
    tile('Calls', count(totals.calls), `${count(totals.functions_called)} of ${count(totals.functions)} functions called`),
    tile('Threads', count(totals.threads), times(totals.processes, 'process', 'processes')),
    tile('Allocated', bytes(totals.bytes), times(totals.blocks, 'block')),
    tile('Peak memory', bytes(Number(run.get('peak_bytes') || 0)), run.get('peak_ns') ? `at ${time(Number(run.get('peak_ns')))}` : ''),
    tile('Not freed', bytes(totals.live_bytes), times(totals.live_blocks, 'block')));
}

function ending(process) {
  if (process.how_ended === 'signal') return `ended by signal ${process.signal}`;
  if (process.how_ended === null) return 'still running';
  return `exit status ${process.status}`;
}

function completeness(model) {
  const losses = objects(model.data.losses);
  const anomalies = objects(model.data.anomalies);
  const items = losses.map((loss) => el('li', null, visible(loss.reason), loss.detail && `: ${visible(loss.detail)}`,
    loss.calls && ` (${times(loss.calls, 'call')})`));
  const complete = model.totals.losses === 0;
  const counted = model.totals.calls - model.totals.call_rows;
  return el('div', { class: complete ? 'complete' : 'incomplete' },
    el('p', null, el('strong', null, complete ? 'The recording is complete.' : 'The recording is not complete.'),
      counted > 0 && ` ${times(counted, 'call')} were only counted, or their rows were left out of the database.`),
    !complete && el('ul', null, items),
    model.data.losses.left_out > 0 && leftOut(`${count(model.data.losses.left_out)} more losses are in the table losses.`),
    anomalies.length > 0 && el('details', null,
      el('summary', null, `${times(model.totals.anomalies, 'anomaly', 'anomalies')} in how calls ended`),
      el('ul', null, anomalies.map((one) => el('li', null, `${visible(one.kind)}: ${count(one.times)} times`,
        one.function_id && [', ', model.link(one.function_id)], `, first at ${time(one.first_ns)}`,
        one.detail && ` (${visible(one.detail)})`)))));
}

function facts(model) {
  const { run, totals } = model;
  const cost = totals.raw_self_ns - totals.self_ns;
  const processes = objects(model.data.processes);
  return el('details', { class: 'facts' }, el('summary', null, 'More about the run'),
    el('p', null, `Time in instrumented code: ${time(totals.self_ns)} over all threads; the recording's own known cost, `
      + `${time(cost)} (${percent(cost, totals.raw_self_ns)} of what was measured), is taken out of it and of all `
      + 'figures here but the timeline, which shows times as measured.'),
    el('table', { class: 'plain' }, el('thead', null, el('tr', null, ['Process', 'Command', 'Started', 'Ran', 'Ended'].map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', null, processes.slice(0, 200).map((one) => el('tr', null,
        el('td', null, `${one.pid} (${one.origin || '?'})`), el('td', null, visible(one.command || one.executable || '?')),
        el('td', null, time(one.start_ns)), el('td', null, one.end_ns === null ? '-' : time(one.end_ns - one.start_ns)),
        el('td', null, ending(one)))))),
    processes.length > 200 && leftOut(`${count(processes.length - 200)} more processes are in the table processes.`),
    el('dl', { class: 'run-facts' }, [...run].map(([key, value]) => [el('dt', null, visible(key)), el('dd', null, visible(String(value)))])));
}

// ---- findings ----

// Names of functions become links, alone or in a stack.
function cell(model, value, unit) {
  if (typeof value !== 'string') return byUnit(value, unit, model.hooksNs);
  const text = visible(value);
  if (unit === 'stack') return el('span', { class: 'stack-text' }, text);
  const known = model.functionNamed(text);
  return known ? model.link(known.id) : text;
}

function findingTable(model, finding) {
  const units = new Map(finding.columns.map(([name, unit]) => [name, unit]));
  const titles = new Map(finding.columns.map(([name, , text]) => [name, text]));
  const names = Object.keys(finding.rows[0]);
  const number = (name) => finding.rows.some((row) => typeof row[name] === 'number');
  return el('div', { class: 'scroll' }, el('table', { class: 'plain' },
    el('thead', null, el('tr', null, names.map((name) =>
      el('th', { scope: 'col', title: titles.get(name), class: number(name) && 'number' }, name.replace(/_(ns|bytes)$/, '').replaceAll('_', ' '))))),
    el('tbody', null, finding.rows.map((row) => el('tr', null, names.map((name) =>
      el('td', { class: number(name) && 'number' }, cell(model, row[name], units.get(name)))))))));
}

// What the rows are about, for the closed line.
function gist(finding) {
  const first = finding.rows[0];
  const key = Object.keys(first).find((name) => typeof first[name] === 'string');
  if (!key) return '';
  const names = [...new Set(finding.rows.map((row) => row[key]).filter((text) => typeof text === 'string'))];
  return visible(names.slice(0, 3).map((name) => name.slice(0, 40)).join(', ')) + (names.length > 3 || finding.count > 3 ? ', …' : '');
}

function findingElement(model, finding) {
  return el('details', { class: 'finding', id: `finding-${finding.name}` },
    el('summary', null, el('span', { class: 'finding-title' }, finding.title),
      el('span', { class: 'badge' }, count(finding.count)), el('span', { class: 'gist' }, gist(finding))),
    finding.description && el('p', null, finding.description),
    finding.advice && el('p', { class: 'advice' }, el('strong', null, 'What to do: '), finding.advice),
    findingTable(model, finding),
    finding.count > finding.rows.length && leftOut(`${count(finding.count - finding.rows.length)} more rows: `
      + `fisql query ${finding.name}`));
}

function findings(model) {
  const all = model.data.findings;
  const with_rows = all.filter((one) => one.rows.length > 0);
  const parts = [...new Set(all.map((one) => one.part))];
  const names = (list) => list.map((one) => one.title).join(', ');
  const empty = all.filter((one) => one.count === 0), failed = all.filter((one) => one.count === null);
  return parts.map((part) => {
    const list = with_rows.filter((one) => one.part === part);
    return list.length > 0 && el('div', { class: `part part-${part.toLowerCase()}` },
      el('h3', null, part), list.map((one) => findingElement(model, one)));
  }).concat(
    empty.length > 0 && el('p', { class: 'nothing' }, `Nothing found by: ${names(empty)}.`),
    failed.length > 0 && leftOut(`Left out, for want of room or because they could not be run: ${names(failed)}.`),
    all.some((one) => one.count > 0 && one.rows.length === 0) &&
      leftOut(`Rows too long for this page: ${names(all.filter((one) => one.count > 0 && one.rows.length === 0))}.`));
}

export function summary(model) {
  const problems = [...model.modules.values()].filter((one) => one.problem);
  return section('summary', 'Summary',
    el('p', { class: 'command' }, el('code', null, visible(String(model.run.get('command') || '?')))),
    tiles(model), completeness(model),
    problems.length > 0 && el('details', null, el('summary', null, `${times(problems.length, 'module')} without full names`),
      el('ul', null, problems.map((one) => el('li', null, `${visible(one.path)}: ${visible(one.problem)}`)))),
    facts(model), findings(model));
}
