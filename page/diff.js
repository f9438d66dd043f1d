// Two runs on one page: A and B side by side, worse in red and better in green. Functions are matched by name and
// file as fisql diff matches them (cli/diff/compare.h); contexts by the names along their stacks.
import { startCodeSwitch } from './code_switch.js';
import { changeTable, classOf, FunctionPair, readChanges } from './diff_functions.js';
import { flames } from './diff_flame.js';
import { el, leftOut, section } from './dom.js';
import { bytes, count, percent, time, times, visible } from './format.js';
import { Model } from './model.js';
import { putUp, startShell } from './shell.js';
import { Timeline } from './timeline.js';

const command = (model) => visible(String(model.run.get('command') || '?'));
const beginning = (model) => [...command(model)].slice(0, 40).join(''); // no half of a character

// "+3.2%", in the colour of worse or better where the two differ; more: which of the two more is.
function difference(a, b, show, differs, more) {
  if (a === null || a === undefined || b === null || b === undefined) return '';
  const sign = b > a ? '+' : b < a ? '−' : '±';
  const text = a === b ? 'the same' : `${sign}${show(Math.abs(b - a))}${a ? ` (${sign}${percent(Math.abs(b - a), a)})` : ''}`;
  return el('span', { class: !differs ? 'quiet' : !more ? 'differs' : (b > a) === (more === 'worse') ? 'differs worse' : 'differs better' }, text);
}

function figures(a, b, noise) {
  const peak = (model) => Number(model.run.get('peak_bytes') || 0);
  // Times are never quite alike: they differ from five percent on, or from what all functions differ by.
  const timesDiffer = (x, y) => Math.abs(x - y) > Math.max(0.05, noise) * Math.max(x, y);
  const rows = [
    ['Run time', a.totals.end_ns, b.totals.end_ns, time, 'worse', timesDiffer],
    ['CPU time in recorded code', a.totals.cpu_ns, b.totals.cpu_ns, time, 'worse', timesDiffer],
    (a.hasWaits || b.hasWaits) && ['Waiting', a.totals.wait_ns, b.totals.wait_ns, time, 'worse', timesDiffer],
    ['Calls', a.totals.calls, b.totals.calls, count, 'worse'], ['Functions called', a.totals.functions_called, b.totals.functions_called, count],
    ['Functions', a.totals.functions, b.totals.functions, count], ['Threads', a.totals.threads, b.totals.threads, count],
    ['Processes', a.totals.processes, b.totals.processes, count], ['Allocated', a.totals.bytes, b.totals.bytes, bytes, 'worse'],
    ['Blocks', a.totals.blocks, b.totals.blocks, count, 'worse'], ['Peak memory', peak(a), peak(b), bytes, 'worse'],
    ['Not freed', a.totals.live_bytes, b.totals.live_bytes, bytes, 'worse'], ['Losses', a.totals.losses, b.totals.losses, count, 'worse'],
    ['Anomalies', a.totals.anomalies, b.totals.anomalies, count, 'worse'],
  ].filter(Boolean);
  return el('table', { class: 'plain pairs stacked' }, el('thead', null, el('tr', null, el('td'), el('th', { scope: 'col', class: 'number' }, 'A'),
    el('th', { scope: 'col', class: 'number' }, 'B'), el('th', { scope: 'col', class: 'number' }, 'Difference'))),
  el('tbody', null, rows.map(([label, x, y, show, more, differs]) => el('tr', null, el('th', { scope: 'row' }, label),
    el('td', { class: 'number', 'data-label': 'A' }, show(x)), el('td', { class: 'number', 'data-label': 'B' }, show(y)),
    el('td', { class: 'number' }, difference(x, y, show, differs ? differs(x, y) : x !== y, more))))));
}

// What the analyses found in the one and not in the other, as far as the page has all rows.
function findings(a, b) {
  const key = (finding, row) => {
    const name = Object.keys(row).find((one) => typeof row[one] === 'string');
    return name ? row[name] : null;
  };
  const names = (finding) => new Set(finding.rows.map((row) => key(finding, row)).filter((one) => one !== null));
  const only = (one, other) => (one.count === one.rows.length && other.count === other.rows.length
    ? [...names(one)].filter((name) => !names(other).has(name)) : []);
  const others = new Map(b.data.findings.map((finding) => [finding.name, finding]));
  const list = (found) => found.slice(0, 6).map(visible).join(', ') + (found.length > 6 ? ', …' : '');
  const rows = a.data.findings.filter((one) => others.has(one.name) && one.part !== 'Overview').map((one) => {
    const other = others.get(one.name);
    const gone = only(one, other), come = only(other, one);
    const differs = one.count !== other.count || gone.length > 0 || come.length > 0;
    return differs && el('tr', null, el('th', { scope: 'row' }, one.title), el('td', { class: 'number', 'data-label': 'rows in A' }, count(one.count)),
      el('td', { class: 'number', 'data-label': 'in B' }, el('span', { class: one.count !== other.count && (other.count > one.count ? 'differs worse' : 'differs better') }, count(other.count))),
      el('td', { 'data-label': 'in A alone' }, gone.length > 0 && el('span', { class: 'differs better' }, list(gone))),
      el('td', { 'data-label': 'in B alone' }, come.length > 0 && el('span', { class: 'differs worse' }, list(come))));
  }).filter(Boolean);
  if (rows.length === 0) return el('p', { class: 'nothing' }, 'The analyses found the same in both.');
  const head = [['Analysis', ''], ['Rows in A', 'number'], ['Rows in B', 'number'], ['In A alone', ''], ['In B alone', '']];
  return el('div', { class: 'scroll' }, el('table', { class: 'plain stacked' },
    el('thead', null, el('tr', null, head.map(([label, kind]) => el('th', { scope: 'col', class: kind || null }, label)))), el('tbody', null, rows)));
}

function summary(a, b, changes) {
  const tally = (test) => changes.rows.filter(test).length;
  const states = [['new', 'new'], ['gone', 'gone'], ['slower', 'slower'], ['faster', 'faster'], ['called more', 'called more'],
    ['called less', 'called less'], ['allocates more', 'allocating more'], ['allocates less', 'allocating less']];
  const counts = states.map(([state, words]) => [tally((row) => row.states.includes(state)), words, state]).filter(([number]) => number > 0);
  const whole = (model, name) => model.totals.losses > 0 && el('p', { class: 'incomplete' }, el('strong', null, `The recording of ${name} is not complete.`));
  return section('summary', 'Two runs', el('dl', { class: 'commands' }, el('dt', null, 'A'), el('dd', null, el('code', null, command(a))),
    el('dt', null, 'B'), el('dd', null, el('code', null, command(b)))), whole(a, 'A'), whole(b, 'B'), figures(a, b, changes.noise),
  el('p', null, counts.length > 0 ? ['Functions: ', counts.map(([number, words, state], i) => [i > 0 && ', ', el('span', { class: classOf([state]) }, `${count(number)} ${words}`)]), '.']
    : 'No function differs.'), el('h3', null, 'Findings that differ'), findings(a, b));
}

export function diff(data) {
  const a = new Model(data.a), b = new Model(data.b);
  document.title = `${beginning(a)} and ${beginning(b)} - fisql report --diff`;
  const changes = readChanges(data.changes, a, b);
  a.anchor = (id) => changes.anchors.a.get(id) || null;
  b.anchor = (id) => changes.anchors.b.get(id) || null;
  const graphs = flames(a, b, changes.noise);
  const end = Math.max(a.totals.end_ns, b.totals.end_ns);
  const timelines = [new Timeline(a, { name: 'A', end }), new Timeline(b, { name: 'B', end })];
  const table = changeTable(changes);
  const pair = new FunctionPair(a, b, changes);
  const functions = section('functions', 'Functions', table.controls, table.element,
    changes.left_out > 0 && leftOut(`${times(changes.left_out, 'function')} that differ least are left out: fisql diff tells all.`));
  const sections = [summary(a, b, changes), graphs.element, timelines[0].element, timelines[1].element, functions, pair.element];
  putUp(sections);
  startCodeSwitch([a, b]);
  for (const one of [graphs, ...timelines]) one.measure();
  for (const one of [graphs, ...timelines]) one.start();
  startShell({
    sections,
    names: changes.rows.map((row) => row.name),
    find: (name) => changes.byName.get(name) || null,
    search: (text) => {
      const found = table.find(text);
      return found.length === 1 ? `#function-${found[0].number}` : null;
    },
    showFunction: (number) => pair.show(number),
  });
}
