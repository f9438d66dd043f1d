// What the analyses found, each with its advice: all of them in a section, and the few that weigh
// most for the first screen.
import { breakable, el, leftOut, replace, section } from './dom.js';
import { byUnit, count, time, visible } from './format.js';
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
  return section('findings', 'Findings', parts.map((part) => {
    const list = with_rows.filter((one) => one.part === part);
    return list.length > 0 && el('div', { class: `part part-${part.toLowerCase()}` },
      el('h3', null, part), list.map((one) => findingElement(model, one)));
  }), empty.length > 0 && el('p', { class: 'nothing' }, `Nothing found by: ${names(empty)}.`),
  failed.length > 0 && leftOut(`Left out, for want of room or because they could not be run: ${names(failed)}.`),
  long.length > 0 && leftOut(`Rows too long for this page: ${names(long)}.`));
}

// ---- the few that weigh most: the words of `fisql digest` ----

export function mainFindings(model) {
  const list = model.data.worst;
  if (list.length === 0) return el('p', { class: 'main-findings nothing' }, "No finding: no error, and none of fisql's patterns would save a hundredth of the time.");
  return el('ol', { class: 'main-findings' }, list.map((one) => el('li', { class: one.saves_ns === null && 'wrong' }, breakable(visible(one.text)),
    one.rows > 1 && ` (and ${count(one.rows - 1)} more)`, ': ',
    el('a', { class: 'finding-title', href: `#finding-${one.name}` }, one.saves_ns === null ? 'an error' : `would save about ${time(one.saves_ns)}`))));
}
