// The calling context trees of two runs side by side. A context is matched by the names from the
// outermost on, whatever the call sites; one that differs is red where B has more and green where it has
// less, with a sign before its name: + only in this run, ▲ more than in the other, ▼ less.
import { darkFill } from './colours.js';
import { Flame } from './flame.js';
import { el, isDark, section } from './dom.js';
import { bytes, time, times } from './format.js';
import { metrics, topDown } from './tree.js';

const WORSE = 4, BETTER = 152; // hues
const shows = { cpu: time, wait: time, both: time, calls: (value) => times(value, 'call'), bytes };
const LEAST_SHARE = 0.005; // of the run: a time that differs by less is noise
const LEAST_CHANGE = 0.1; // of the larger: the same
const CUT_SHARE = 0.001; // of the run: less may be missing in the other's page

// The tree of one run, and its nodes by their paths of names.
function pathed(model, options) {
  const root = topDown(model, { ...options, keyOf: (id) => model.name(id) });
  const byPath = new Map();
  const walk = (node, path) => {
    node.path = path;
    byPath.set(path, node);
    for (const one of node.children) walk(one, `${path}\u0001${model.name(one.functionId)}`);
  };
  walk(root, '');
  return { root, byPath };
}

// How a context of one run differs: {kind: 'same' | 'more' | 'less' | 'only', change: 0 to 1, other}
// noise: by how much of the larger times differ without a reason.
function comparison(mine, other, otherCut, noise) {
  return (node, metric) => {
    const valueOf = (one) => metrics[metric](one.all);
    const value = valueOf(node), whole = valueOf(mine().root);
    const there = other().byPath.get(node.path);
    if (!there || valueOf(there) === 0) {
      if (otherCut && value < CUT_SHARE * whole) return { kind: 'same', change: 0, other: null };
      return { kind: 'only', change: 1, other: 0 };
    }
    const theirs = valueOf(there);
    const change = Math.abs(value - theirs) / Math.max(1, value, theirs);
    const timed = metric !== 'calls' && metric !== 'bytes';
    if (value === theirs || (timed && (change < Math.max(LEAST_CHANGE, noise) || Math.abs(value - theirs) < LEAST_SHARE * whole))) {
      return { kind: 'same', change: 0, other: theirs };
    }
    return { kind: value > theirs ? 'more' : 'less', change, other: theirs };
  };
}

const signs = { same: '', more: '▲ ', less: '▼ ', only: '+ ' };

// Red where B is worse, green where it is better, on both sides.
function fill({ kind, change }, side) {
  if (kind === 'same') return isDark() ? 'hsl(220 9% 34%)' : 'hsl(220 14% 87%)';
  const worse = (kind === 'less') === (side === 'A');
  const hue = worse ? WORSE : BETTER;
  const strong = 0.35 + 0.65 * Math.sqrt(change);
  return isDark() ? darkFill(hue, Math.round(35 + 35 * strong), Math.round(24 + (worse ? 22 : 14) * strong))
    : `hsl(${hue} ${Math.round(45 + 30 * strong)}% ${Math.round(90 - 26 * strong)}%)`;
}

export function flames(a, b, noise) {
  const trees = new Map(); // by model: made when first asked for, and again where options change
  const treeOf = (model, options) => {
    if (options || !trees.has(model)) trees.set(model, pathed(model, options || {}));
    return trees.get(model);
  };
  for (const model of [a, b]) model.onCode(() => trees.clear());
  const cut = (model) => model.data.frames.left_out > 0;
  const make = (model, other, side, otherSide) => {
    const compare = comparison(() => treeOf(model), () => treeOf(other), cut(other), noise);
    return new Flame(model, {
      id: `flame-${side.toLowerCase()}`, title: side, controls: side === 'A', compared: true,
      tree: () => treeOf(model).root,
      paint: (node, metric) => fill(compare(node, metric), side),
      sign: (node, metric) => signs[compare(node, metric).kind],
      label: (node, metric) => {
        const { other: there } = compare(node, metric);
        return there === null ? '' : `${shows[metric](there)} in ${otherSide}`;
      },
    });
  };
  const left = make(a, b, 'A', 'B'), right = make(b, a, 'B', 'A');
  left.peer = right;
  right.leader = left;
  const controls = left.element.querySelector('.controls');
  const element = section('flame', 'Calling contexts', el('div', null, controls),
    el('p', { class: 'legend' }, el('span', { class: 'box worse' }), 'more in B than in A, or in B alone ', el('span', { class: 'box better' }), 'less in B, or in A alone. '
      + `Before a name: + only here, ▲ more than in the other, ▼ less. Grey is alike (times: within ${Math.round(100 * Math.max(LEAST_CHANGE, noise))}% or half a percent of the run). Both zoom together.`),
    el('div', { class: 'columns' }, left.element, right.element));
  return {
    element,
    measure() {
      left.measure();
      right.measure();
    },
    start() {
      left.start();
      right.start();
    },
  };
}
