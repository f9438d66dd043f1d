// The calling context trees of two runs side by side. A context is matched by the names from the
// outermost on, whatever the call sites; one that differs is red, with a sign before its name:
// + only in this run, ▲ more than in the other, ▼ less.
import { Flame } from './flame.js';
import { el, isDark, section } from './dom.js';
import { bytes, time, times } from './format.js';

const keyOf = { time: 'time', calls: 'allCalls', bytes: 'bytes' };
const shows = { time, calls: (value) => times(value, 'call'), bytes };
const LEAST_SHARE = 0.005; // of the run: a time that differs by less is noise
const LEAST_CHANGE = 0.1; // of the larger: the same
const CUT_SHARE = 0.001; // of the run: less may be missing in the other's page

// The contexts with call sites put together, for another build has others: {frames, byPath}
function merged(model) {
  const frames = [], byPath = new Map();
  const places = new Map(); // of the model's frames among the merged
  model.frames.forEach((frame, i) => {
    if (!frame.flame) return;
    const parent = frame.parent < 0 ? -1 : places.get(frame.parent);
    const path = `${parent < 0 ? '' : frames[parent].path}\u0001${model.name(frame.functionId)}`;
    let place = byPath.get(path);
    if (place === undefined) {
      place = frames.length;
      byPath.set(path, place);
      frames.push({ ...frame, parent, path, siteId: 0, self_ns: 0, calls: 0, time: 0, allCalls: 0, bytes: 0 });
    }
    for (const key of ['self_ns', 'calls', 'time', 'allCalls', 'bytes']) frames[place][key] += frame[key];
    places.set(i, place);
  });
  return { frames, get: (path) => frames[byPath.get(path)] };
}

function wholes({ frames }) {
  const sum = (key) => frames.reduce((all, frame) => all + (frame.parent < 0 ? frame[key] : 0), 0);
  return { time: sum('time'), allCalls: sum('allCalls'), bytes: sum('bytes') };
}

// How a context of one run differs: {kind: 'same' | 'more' | 'less' | 'only', change: 0 to 1, other}
function comparison(mine, other, otherCut) {
  const whole = wholes(mine);
  return (frame, metric) => {
    const key = keyOf[metric];
    const value = frame[key];
    const there = other.get(frame.path);
    if (!there || there[key] === 0) {
      if (otherCut && value < CUT_SHARE * whole[key]) return { kind: 'same', change: 0, other: null };
      return { kind: 'only', change: 1, other: 0, value };
    }
    const larger = Math.max(value, there[key]);
    const change = Math.abs(value - there[key]) / Math.max(1, larger);
    const quiet = metric === 'time' && (change < LEAST_CHANGE || Math.abs(value - there[key]) < LEAST_SHARE * whole[key]);
    if (quiet || value === there[key]) return { kind: 'same', change: 0, other: there[key], value };
    return { kind: value > there[key] ? 'more' : 'less', change, other: there[key], value };
  };
}

const signs = { same: '', more: '▲ ', less: '▼ ', only: '+ ' };

function fill({ kind, change }) {
  if (kind === 'same') return isDark() ? 'hsl(220 9% 34%)' : 'hsl(220 14% 87%)';
  const strong = 0.35 + 0.65 * Math.sqrt(change);
  return isDark() ? `hsl(4 ${Math.round(35 + 35 * strong)}% ${Math.round(30 + 16 * strong)}%)`
    : `hsl(4 ${Math.round(60 + 25 * strong)}% ${Math.round(90 - 22 * strong)}%)`;
}

export function flames(a, b) {
  const trees = [merged(a), merged(b)];
  const cut = (model) => model.data.frames.left_out > 0;
  const make = (model, tree, compare, name, other) => new Flame(model, {
    id: `flame-${name.toLowerCase()}`, title: name, controls: name === 'A', frames: tree.frames,
    paint: (frame, metric) => fill(compare(frame, metric)),
    sign: (frame, metric) => signs[compare(frame, metric).kind],
    label: (frame, metric) => {
      const { other: there } = compare(frame, metric);
      return there === null ? '' : `; ${shows[metric](there)} in ${other}`;
    },
  });
  const left = make(a, trees[0], comparison(trees[0], trees[1], cut(b)), 'A', 'B');
  const right = make(b, trees[1], comparison(trees[1], trees[0], cut(a)), 'B', 'A');
  left.peer = right;
  right.leader = left;
  const controls = left.element.querySelector('.controls');
  const element = section('flame', 'Calling contexts', el('div', null, controls),
    el('p', { class: 'legend' }, 'Red differs: + in this run alone, ▲ more than in the other, ▼ less; grey is alike (times: within '
      + '10% or half a percent of the run). Both zoom together.'),
    el('div', { class: 'columns' }, left.element, right.element));
  return {
    element,
    start() {
      left.start();
      right.start();
    },
  };
}
