// What the analyses found, each with its advice: all of them in a section, and the few that weigh
// most for the first screen.
import { breakable, el, leftOut, replace, section } from './dom.js';
import { bytes, byUnit, count, time, visible } from './format.js';
import { sentence } from './words.js';

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
  return shown + (!shown.endsWith('…') && (names.length > 3 || finding.count > 3) ? ', …' : '');
}

// Its table is made when it is opened first.
function findingElement(model, finding) {
  const rows = el('div');
  const open = () => {
    if (rows.childElementCount === 0) replace(rows, findingTable(model, finding));
  };
  const element = el('details', { class: 'finding', id: `finding-${finding.name}`, tabindex: '-1' },
    el('summary', null, el('span', { class: 'finding-title' }, finding.title),
      el('span', { class: 'badge' }, count(finding.count)), el('span', { class: 'gist' }, breakable(gist(finding)))),
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
  return section('findings', 'Findings', verdicts(model, true), parts.map((part) => {
    const list = with_rows.filter((one) => one.part === part);
    return list.length > 0 && el('div', { class: `part part-${part.toLowerCase()}` },
      el('h3', null, part), list.map((one) => findingElement(model, one)));
  }), empty.length > 0 && el('p', { class: 'nothing' }, `Nothing found by: ${names(empty)}.`),
  failed.length > 0 && leftOut(`Left out, for want of room or because they could not be run: ${names(failed)}.`),
  long.length > 0 && leftOut(`Rows too long for this page: ${names(long)}.`));
}

// ---- the list of `fisql query findings`: the few that weigh most, as `fisql digest` says them ----

function saving(one) {
  if (one.kind === 'error' || one.kind === 'ignored error') return one.kind === 'error' ? 'an error' : 'an error ignored';
  const amount = one.saves_run_ns !== null
    ? `would save about ${time(one.saves_run_ns)} of the run's time (${one.saves_wait_ns !== null ? `${time(one.saves_wait_ns)} of waiting` : `${time(one.saves_ns)} on processors`})`
    : one.saves_ns !== null && one.share_of !== 'allocated bytes' ? `would save about ${time(one.saves_ns)}`
    : one.saves_wait_ns !== null ? `up to ${time(one.saves_wait_ns)} of waiting` : bytes(one.saves_bytes);
  return one.share === null ? amount : `${amount}, ${Math.round(one.share)} % of ${one.share_of}`;
}

function more(one) {
  return el('span', { class: 'quiet' }, one.sure !== 'certain' && `, ${one.sure}`,
    one.caller && `, called by ${visible(one.caller)}${one.from ? ` (${visible(one.from)})` : ''}`,
    one.next && [', next: ', el('code', null, visible(one.next))]);
}

// With `long` also where it comes from and the next command.
function verdict(one, long) {
  return el('li', { class: one.kind === 'error' && 'wrong' }, breakable(visible(one.text)),
    one.rows > 1 && ` (and ${count(one.rows - 1)} more)`, ': ',
    el('a', { class: 'finding-title', href: `#finding-${one.name}` }, saving(one)), long && more(one));
}

// Is never empty: without a finding it has what is largest, and what was checked.
function verdicts(model, long) {
  const { worst, none, checked, unchecked, worst_count: all } = model.data;
  const listed = worst.length > 0 ? el('ol', { class: 'main-findings' }, worst.map((one) => verdict(one, long)))
    : [el('p', { class: 'main-findings nothing' }, `No finding: ${model.foreign ? 'nothing that such a trace shows' : 'no error was seen, and nothing'} reaches what is looked for.${none.length > 0 ? ' The largest things are' : ''}`),
      none.length > 0 && el('ul', { class: 'main-findings' }, none.map((one) => el('li', null, breakable(visible(one.text)),
        one.share !== null && `, ${one.share.toFixed(1)} % of ${one.share_of}`)))];
  return [listed, all > worst.length && leftOut(`${count(all - worst.length)} more: fisql query findings`),
    (long || worst.length === 0) && el('p', { class: 'quiet checked' }, `Checked: ${checked}.`, unchecked.length > 0 && ` Not checked: ${visible(unchecked.join('; '))}.`)];
}

export function mainFindings(model) {
  return el('div', null, verdicts(model, false));
}
