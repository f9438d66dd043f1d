// What was passed to a function and what it returned: a table of its parameters, and its time by an integer
// argument as a scatter plot.
import { el, leftOut, svg } from './dom.js';
import { count, percent, time, times } from './format.js';
import { objects } from './model.js';

const WIDE = 420, HIGH = 190, LEFT = 62, BOTTOM = 34, TOP = 8, RIGHT = 26; // px
const POINTS_LEAST = 4; // less is no curve

const nameOf = (one) => (one.position === 0 ? 'result' : one.name || `#${one.position}`);

// A scale over the values: logarithmic, of the value and 1, where none is negative and they differ by more than 30 times.
function scale(values, from, to) {
  const least = Math.min(...values), greatest = Math.max(...values);
  const log = least >= 0 && greatest > 30 * Math.max(1, least);
  const low = log ? Math.log1p(least) : Math.min(0, least), high = log ? Math.log1p(greatest) : greatest;
  const at = (value) => from + (((log ? Math.log1p(value) : value) - low) / (high - low || 1)) * (to - from);
  const ticks = [0, 1, 2, 3].map((i) => low + ((high - low) * i) / 3).map((value) => Math.round(log ? Math.expm1(value) : value));
  return { at, ticks: [...new Set(ticks)], log };
}

function scatter(parameter, points) {
  const x = scale(points.map((point) => point.value), LEFT, WIDE - RIGHT);
  const y = scale(points.map((point) => point.ns), HIGH - BOTTOM, TOP);
  const name = nameOf(parameter);
  const round = (value) => (Math.abs(value) < 10 && !Number.isInteger(value) ? value.toFixed(1) : count(Math.round(value)));
  return el('figure', { class: 'scatter' }, el('figcaption', null, `Time of a call by ${name}${y.log ? ', logarithmic' : ''}`),
    svg('svg', { width: WIDE, height: HIGH, role: 'img', 'aria-label': `Time of a call by ${name}: ${times(points.length, 'point')}` },
      y.ticks.map((ns) => svg('g', { class: 'tick' }, svg('line', { x1: LEFT, x2: WIDE - RIGHT, y1: y.at(ns), y2: y.at(ns) }),
        svg('text', { x: LEFT - 6, y: y.at(ns) + 4, 'text-anchor': 'end' }, time(ns)))),
      x.ticks.map((value) => svg('text', { class: 'tick', x: x.at(value), y: HIGH - BOTTOM + 16, 'text-anchor': 'middle' }, round(value))),
      svg('text', { class: 'tick', x: (LEFT + WIDE) / 2, y: HIGH - 4, 'text-anchor': 'middle' }, `${name}${x.log ? ', logarithmic' : ''}`),
      points.map((point) => svg('circle', { class: 'point', cx: x.at(point.value), cy: y.at(point.ns), r: 3.5 },
        svg('title', null, `${name} ${round(point.value)}: ${time(Math.round(point.ns))} a call, ${times(point.calls, 'call')}, `
          + `the slowest ${time(point.max_ns)}; ${round(point.below)} calls within one`)))));
}

const keyed = (part) => {
  const map = new Map();
  for (const one of objects(part)) {
    if (!map.has(one.function_id)) map.set(one.function_id, []);
    map.get(one.function_id).push(one);
  }
  return map;
};

export class Values {
  constructor(model) {
    this.parameters = keyed(model.data.parameters);
    this.values = keyed(model.data.values);
    this.costs = keyed(model.data.value_costs);
    this.leftOut = [model.data.parameters, model.data.values].some((part) => part && part.left_out > 0);
  }

  // Null of a function without recorded values.
  show(id) {
    const parameters = (this.parameters.get(id) || []).slice().sort((a, b) => (a.position || 99) - (b.position || 99));
    if (parameters.length === 0) return null;
    return [el('h4', null, 'Arguments and results'),
      el('div', { class: 'scroll' }, el('table', { class: 'values' },
        el('thead', null, el('tr', null, ['Parameter', 'Type', 'Values', 'Least', 'Greatest', 'Commonest'].map((label, i) => el('th', { scope: 'col', class: i > 1 && i < 5 && 'number' }, label)))),
        el('tbody', null, parameters.map((one) => this.row(one))))),
      el('div', { class: 'scatters' }, parameters.map((one) => this.plot(one))),
      this.leftOut && leftOut('Not all values are here: fisql query arguments and results have them.')];
  }

  row(one) {
    const values = (this.values.get(one.function_id) || []).filter((value) => value.position === one.position);
    return el('tr', null, el('th', { scope: 'row' }, nameOf(one)), el('td', { class: 'quiet' }, one.type || '?'),
      el('td', { class: 'number' }, `${one.counted ? '' : 'over '}${count(one.distinct_values)}`),
      el('td', { class: 'number' }, one.least === null ? '' : one.least), el('td', { class: 'number' }, one.greatest === null ? '' : one.greatest),
      el('td', null, values.map((value, i) => [i > 0 && ', ', el('code', { title: `${times(value.calls, 'call')}, ${time(value.cpu_ns)}` }, value.text),
        el('span', { class: 'quiet' }, ` ${percent(value.calls, one.calls)}`)]),
      one.unknown > 0 && el('span', { class: 'quiet' }, `${values.length > 0 ? '; ' : ''}not known in ${times(one.unknown, 'call')}`)));
  }

  plot(one) {
    const points = (this.costs.get(one.function_id) || []).filter((cost) => cost.position === one.position)
      .map((cost) => ({ value: cost.value, calls: cost.calls, ns: cost.cpu_ns / cost.calls, max_ns: cost.max_ns, below: cost.descendants / cost.calls }));
    return points.length >= POINTS_LEAST ? scatter(one, points) : null;
  }
}
