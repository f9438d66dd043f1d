// The functions of two runs side by side: a table of what differs, and for one of them both runs'
// figures, histograms, callers and callees.
import { breakable, choice, el, leftOut, replace, section } from './dom.js';
import { bytes, count, time } from './format.js';
import { histogram, relatives } from './functions.js';
import { objects } from './model.js';
import { Table } from './table.js';

// As fisql diff decides (cli/diff/compare.h): p is the probability that the times of a call differ by
// chance alone, doubt_ns how far apart the means may be for what the hooks cost, beyond_noise whether
// they differ by more than the two runs differ without a reason, noise.
const CHANCE = 0.001;
const CHANGE_LEAST = 0.05; // of A's mean

function statesOf(row) {
  if (row.function_id === null) return ['new'];
  if (row.other_function_id === null) return ['gone'];
  const states = [];
  const apart = row.b_mean_ns - row.a_mean_ns;
  const sure = row.p !== null && row.p < CHANCE && Math.abs(apart) >= row.doubt_ns && row.beyond_noise;
  if (row.b_calls !== row.a_calls) states.push(row.b_calls > row.a_calls ? 'called more' : 'called less');
  if (sure && Math.abs(apart) > CHANGE_LEAST * row.a_mean_ns) states.push(apart > 0 ? 'slower' : 'faster');
  const bytesApart = row.b_alloc_bytes - row.a_alloc_bytes || row.b_allocs - row.a_allocs;
  if (bytesApart !== 0) states.push(bytesApart > 0 ? 'allocates more' : 'allocates less');
  return states;
}

export function readChanges(data, a, b) {
  const rows = objects(data);
  const anchors = { a: new Map(), b: new Map() };
  const byName = new Map();
  rows.forEach((row, i) => {
    row.number = i + 1;
    const [model, id] = row.other_function_id === null ? [a, row.function_id] : [b, row.other_function_id];
    row.name = model.name(id);
    row.location = model.location(id);
    row.states = statesOf(row);
    row.self = Math.abs((row.b_self_ns || 0) - (row.a_self_ns || 0));
    const hash = `#function-${row.number}`;
    if (row.function_id !== null) anchors.a.set(row.function_id, hash);
    if (row.other_function_id !== null) anchors.b.set(row.other_function_id, hash);
    if (!byName.has(row.name)) byName.set(row.name, hash);
  });
  return { rows, anchors, byName, left_out: data.left_out, noise: rows.length > 0 ? 1 - Math.exp(-rows[0].noise) : 0 };
}

const worse = ['slower', 'called more', 'allocates more', 'new'], better = ['faster', 'called less', 'allocates less', 'gone'];

// The class of what differs: worse in B, better, or both.
export function classOf(states) {
  const bad = states.some((one) => worse.includes(one)), good = states.some((one) => better.includes(one));
  return states.length === 0 ? null : bad === good ? 'differs' : bad ? 'differs worse' : 'differs better';
}
const marked = (states, text) => el('span', { class: classOf(states) }, text);
const eachMarked = (states) => states.map((one, i) => [i > 0 && ', ', marked([one], one)]);
// Those of a row's states that are among these.
const among = (row, ...states) => row.states.filter((one) => states.includes(one));

const filters = {
  all: ['All', () => true],
  differing: ['Differing', (row) => row.states.length > 0],
  new: ['New', (row) => row.states.includes('new')],
  gone: ['Gone', (row) => row.states.includes('gone')],
  slower: ['Slower', (row) => row.states.includes('slower')],
  faster: ['Faster', (row) => row.states.includes('faster')],
  calls: ['Called more', (row) => row.states.includes('called more')],
  memory: ['Allocating more', (row) => row.states.includes('allocates more')],
};

export function changeTable(changes) {
  const pairOf = (key, label, show, state) => ['a', 'b'].map((run) => ({
    key: `${run}_${key}`, label: `${label} ${run.toUpperCase()}`, short: label.toLowerCase(), number: true,
    show: (row) => marked(run === 'b' ? among(row, ...state) : [], row[`${run}_${key}`] === null ? '-' : show(row[`${run}_${key}`])),
  }));
  const columns = [
    { key: 'name', label: 'Function', text: (row) => row.name, show: (row) => el('a', { href: `#function-${row.number}` }, breakable(row.name)) },
    { key: 'location', label: 'Defined at', text: (row) => row.location, show: (row) => el('span', { class: 'quiet' }, row.location) },
    { key: 'states', label: 'Changed', short: '', value: (row) => row.states.join(), text: (row) => row.states.join(), show: (row) => eachMarked(row.states) },
    { key: 'self', label: 'Self apart', short: '±', title: 'Difference of the self times', number: true,
      show: (row) => time(row.self) },
    ...pairOf('calls', 'Calls', count, ['new', 'gone', 'called more', 'called less']),
    ...pairOf('self_ns', 'Self', time, ['new', 'gone', 'slower', 'faster']),
    ...pairOf('mean_ns', 'Mean', (value) => time(Math.round(value)), ['slower', 'faster']),
    { key: 'p', label: 'p', title: 'The probability that the times of a call differ by chance alone; - = too few calls', number: true,
      show: (row) => (row.p === null ? '-' : row.p < 0.0001 ? '<0.0001' : row.p.toFixed(4)) },
    ...pairOf('alloc_bytes', 'Allocated', (value) => (value ? bytes(value) : ''), ['new', 'gone', 'allocates more', 'allocates less']),
  ];
  const table = new Table({ columns, rows: changes.rows, sort: 'self', label: 'Functions of both runs', search: 'Search functions and files',
    cards: ['states', 'self', 'b_calls'] });
  const all = changes.rows;
  const options = Object.entries(filters).map(([key, [label, test]]) => [key, `${label} (${count(all.filter(test).length)})`]);
  table.controls = el('p', { class: 'controls' }, choice('Which functions', options, 'all', (key) => {
    table.rows = all.filter(filters[key][1]);
    table.shown = table.page;
    table.update();
  }));
  return table;
}

export class FunctionPair {
  constructor(a, b, changes) {
    Object.assign(this, { a, b, changes });
    this.histograms = [a, b].map((model) => new Map(model.data.durations.rows));
    this.body = el('div');
    this.element = section('function', 'A function', this.body);
    const first = changes.rows.find((row) => row.states.length > 0) || changes.rows[0];
    if (first) this.show(first.number);
  }

  show(number) {
    const row = this.changes.rows[number - 1];
    if (!row) return null;
    const article = el('article', { id: `function-${number}`, tabindex: '-1' }, el('h3', null, row.name), el('p', { class: 'quiet' }, row.location),
      el('p', null, row.states.length > 0 ? eachMarked(row.states) : 'No difference beyond chance.',
        row.p === null && row.function_id !== null && row.other_function_id !== null && ' Too few calls to tell whether its time differs.'),
      this.figures(row), this.times(row), this.related(row, 'callers', 'caller_id'), this.related(row, 'callees', 'callee_id'));
    replace(this.body, article);
    return article;
  }

  figures(row) {
    const line = (label, key, show, states) => el('tr', null, el('th', { scope: 'row' }, label), ['a', 'b'].map((run) =>
      el('td', { class: 'number', 'data-label': run.toUpperCase() }, marked(run === 'b' ? states : [], row[`${run}_${key}`] === null ? '-' : show(row[`${run}_${key}`])))));
    const has = (...states) => among(row, ...states);
    const average = (value) => time(Math.round(value));
    return el('table', { class: 'plain pairs stacked' }, el('thead', null, el('tr', null, el('td'), el('th', { scope: 'col', class: 'number' }, 'A'), el('th', { scope: 'col', class: 'number' }, 'B'))),
      el('tbody', null, line('Calls', 'calls', count, has('called more', 'called less', 'new', 'gone')), line('Self', 'self_ns', time, has('slower', 'faster')),
        line('Total', 'total_ns', time, has('slower', 'faster')), line('Mean', 'mean_ns', average, has('slower', 'faster')),
        line('Longest', 'max_ns', time, []), line('Allocated', 'alloc_bytes', bytes, has('allocates more', 'allocates less')),
        line('Blocks', 'allocs', count, has('allocates more', 'allocates less'))));
  }

  times(row) {
    const one = (i, id, name) => {
      const text = id === null ? null : this.histograms[i].get(id);
      return el('div', null, el('h4', null, `Times of its calls in ${name}`), text ? histogram(text) : el('p', { class: 'nothing' }, 'None here.'));
    };
    return el('div', { class: 'columns' }, one(0, row.function_id, 'A'), one(1, row.other_function_id, 'B'));
  }

  // Callers or callees of both runs, matched by name.
  related(row, side, key) {
    const rows = new Map();
    const take = (model, id, run) => {
      for (const one of id === null ? [] : relatives(model, model[side].get(id), key)) {
        const name = one.id === null ? '(no recorded caller)' : model.name(one.id);
        const kept = rows.get(name) || { name, href: null, a: null, b: null };
        kept.href = kept.href || (one.id === null ? null : model.anchor(one.id));
        kept[run] = one;
        rows.set(name, kept);
      }
    };
    take(this.a, row.function_id, 'a');
    take(this.b, row.other_function_id, 'b');
    const list = [...rows.values()];
    const of = (run, field) => (one) => (one[run] ? one[run][field] : null);
    const column = (run, field, label, show, states) => ({ key: `${run}_${field}`, label: `${label} ${run.toUpperCase()}`, number: true,
      value: of(run, field), show: (one) => marked(run === 'b' ? states(one) : [], of(run, field)(one) === null ? '-' : show(of(run, field)(one))) });
    const callsDiffer = (one) => {
      const [x, y] = [of('a', 'calls')(one) || 0, of('b', 'calls')(one) || 0];
      return x === y ? [] : [y > x ? 'called more' : 'called less'];
    };
    const columns = [
      { key: 'name', label: side === 'callers' ? 'Caller' : 'Callee', show: (one) => (one.href ? el('a', { href: one.href }, one.name) : one.name) },
      column('a', 'calls', 'Calls', count, callsDiffer), column('b', 'calls', 'Calls', count, callsDiffer),
      column('a', 'cpu_ns', 'Total CPU', time, () => []), column('b', 'cpu_ns', 'Total CPU', time, () => []),
    ];
    const cut = this.a.data.edges.left_out + this.b.data.edges.left_out > 0;
    return el('div', { class: side }, el('h4', null, `${side === 'callers' ? 'Callers' : 'Callees'} (${count(list.length)})`),
      list.length > 0 ? new Table({ columns, rows: list, sort: 'a_calls', label: side, page: 12 }).element : el('p', { class: 'nothing' }, 'None.'),
      cut && leftOut('Calls with the least time may be left out.'));
  }
}
