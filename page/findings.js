// What the analyses found, each with its advice: all of them in a section, and the few that weigh
// most for the first screen.
import { breakable, el, leftOut, replace, section } from './dom.js';
import { byUnit, bytes, count, percent, time, times, visible } from './format.js';
import { bare, sentence } from './words.js';

// Names of functions become links, alone or in a stack.
function cell(model, value, unit) {
  if (typeof value !== 'string') return byUnit(value, unit, model.hooksNs);
  const text = visible(value);
  if (text.includes(' > ')) return el('span', { class: 'stack-text' }, text);
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

// What the rows are about.
function subjects(finding) {
  const key = finding.rows.length > 0 && finding.columns.map(([name]) => name).find((name) => typeof finding.rows[0][name] === 'string');
  return key ? [...new Set(finding.rows.map((row) => row[key]).filter((text) => typeof text === 'string'))] : [];
}

function gist(finding) {
  const names = subjects(finding);
  const shown = visible(sentence(names.slice(0, 3).join(', '), 110));
  return shown + (names.length > 3 || finding.count > 3 ? ', …' : '');
}

// Its table is made when it is opened first.
function findingElement(model, finding) {
  const rows = el('div');
  const open = () => {
    if (rows.childElementCount === 0) replace(rows, findingTable(model, finding));
  };
  const element = el('details', { class: 'finding', id: `finding-${finding.name}`, tabindex: '-1' },
    el('summary', null, el('span', { class: 'finding-title' }, finding.title),
      el('span', { class: 'badge' }, count(finding.count)), el('span', { class: 'gist' }, gist(finding))),
    finding.description && el('p', null, finding.description),
    finding.advice && el('p', { class: 'advice' }, el('strong', null, 'What to do: '), finding.advice),
    rows,
    finding.count > finding.rows.length && leftOut(`${count(finding.count - finding.rows.length)} more rows: `
      + `fisql query ${finding.name}`));
  element.addEventListener('toggle', open);
  addEventListener('beforeprint', open);
  return element;
}

export function findings(model) {
  const all = model.data.findings;
  const with_rows = all.filter((one) => one.rows.length > 0);
  const parts = [...new Set(all.map((one) => one.part))];
  const names = (list) => list.map((one) => one.title).join(', ');
  const empty = all.filter((one) => one.count === 0), failed = all.filter((one) => one.count === null);
  const long = all.filter((one) => one.count > 0 && one.rows.length === 0);
  return section('findings', 'Findings', parts.map((part) => {
    const list = with_rows.filter((one) => one.part === part);
    return list.length > 0 && el('div', { class: `part part-${part.toLowerCase()}` },
      el('h3', null, part), list.map((one) => findingElement(model, one)));
  }), empty.length > 0 && el('p', { class: 'nothing' }, `Nothing found by: ${names(empty)}.`),
  failed.length > 0 && leftOut(`Left out, for want of room or because they could not be run: ${names(failed)}.`),
  long.length > 0 && leftOut(`Rows too long for this page: ${names(long)}.`));
}

// ---- the few that weigh most ----

const FEW = 5, LETTERS = 60;
// Columns that say what a row costs, the surest first; and the figure of the run that they are part of.
const costs = [['saved_ns', 'cpu_ns'], ['self_ns', 'cpu_ns'], ['wait_ns', 'wait_ns'], ['raw_total_ns', 'self_ns'],
  ['bytes', 'bytes'], ['leaked_bytes', 'bytes'], ['copied_bytes', 'bytes']];

// {share: of the run, text} of what the finding's rows come to; share 0 where no column says so.
function weight(model, finding) {
  for (const [column, whole] of costs) {
    const sum = finding.rows.reduce((all, row) => all + (typeof row[column] === 'number' ? row[column] : 0), 0);
    const all = model.totals[whole];
    if (sum > 0 && all > 0) {
      const show = column.endsWith('_ns') ? time : bytes;
      const kind = { cpu_ns: 'of CPU time', wait_ns: 'of waiting', self_ns: 'of time in recorded code', bytes: 'of what was allocated' }[whole];
      return { share: Math.min(1, sum / all), text: sum <= all ? `${show(sum)}, ${percent(sum, all)} ${kind}` : show(sum) };
    }
  }
  return { share: 0, text: '' };
}

const firstSentence = (text) => (/^.*?[.:](?=\s|$)/s.exec(text || '') || [text || ''])[0].replace(/:$/, '.');

// The words of `fisql digest`.
function worst(list) {
  if (list.length === 0) return el('p', { class: 'nothing' }, 'No finding: no error, and nothing that would save a hundredth of the time.');
  return el('ol', { class: 'main-findings' }, list.map((one) => el('li', { class: one.saves_ns === null && 'wrong' }, breakable(visible(one.text)),
    one.rows > 1 && ` (and ${count(one.rows - 1)} more)`, ': ',
    el('a', { class: 'finding-title', href: `#finding-${one.name}` }, one.saves_ns === null ? 'an error' : `would save about ${time(one.saves_ns)}`))));
}

// At most five: what is wrong first, then by the part of the run that they are about.
export function mainFindings(model) {
  if (model.data.worst) return worst(model.data.worst);
  const errors = model.data.findings.filter((one) => one.part === 'Errors' && one.rows.length > 0 && !['completeness', 'anomalies'].includes(one.name));
  const others = model.data.findings.filter((one) => one.part === 'Findings' && one.rows.length > 0)
    .map((one) => ({ one, ...weight(model, one) })).filter((item) => item.share >= 0.005).sort((a, b) => b.share - a.share);
  const list = [...errors.map((one) => ({ one, share: 1, text: times(one.count, 'row') })), ...others].slice(0, FEW);
  if (list.length === 0) return el('p', { class: 'nothing' }, 'No finding weighs half a percent of the run.');
  return el('ol', { class: 'main-findings' }, list.map(({ one, text }) => {
    const names = subjects(one).slice(0, 2).map((name) => {
      const known = model.functionNamed(visible(name));
      return known ? model.link(known.id, null, LETTERS) : sentence(visible(name).length > LETTERS ? bare(visible(name)) : visible(name), LETTERS);
    });
    return el('li', { class: one.part === 'Errors' && 'wrong' }, el('a', { class: 'finding-title', href: `#finding-${one.name}` }, one.title), ' ',
      names.map((name, i) => [i > 0 && ', ', name]), subjects(one).length > 2 && ', …', text && el('span', { class: 'quiet' }, ` (${text})`), el('span', { class: 'what' }, `. ${firstSentence(one.advice || one.description)}`));
  }));
}
