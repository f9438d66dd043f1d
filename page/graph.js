// The call graph between files or modules, laid out in layers by dagre and drawn as SVG: callers
// above callees, the width of a line by the number of calls, the shade of a box by its self time.
import { graphlib, layout } from '@dagrejs/dagre';
import { choice, el, leftOut, replace, section, svg } from './dom.js';
import { count, percent, time, times, visible } from './format.js';
import { objects } from './model.js';
import { Table } from './table.js';
import { fitted } from './words.js';

const NODES_MAX = 26, NODES_SURE = 12, EDGES_MAX = 44;
const HIGH = 40;

const kinds = {
  file: { node: 'file_id', from: 'from_file_id', to: 'to_file_id', label: 'Files' },
  module: { node: 'module', from: 'from_module', to: 'to_module', label: 'Modules' },
};

// A smooth path: through the middles between the points, bent at the points.
function curve(points) {
  const at = (point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
  const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  let path = `M${at(points[0])}`;
  for (let i = 1; i < points.length - 1; i++) {
    const next = i === points.length - 2 ? points[i + 1] : middle(points[i], points[i + 1]);
    path += `Q${at(points[i])} ${at(next)}`;
  }
  return points.length > 2 ? path : `${path}L${at(points[points.length - 1])}`;
}

export class CallGraph {
  constructor(model, table) {
    this.model = model;
    this.table = table; // of functions, to be searched on a click
    this.canvas = el('div', { class: 'graph', id: 'graph-drawing', tabindex: '0', role: 'group', 'aria-label': 'Call graph; scroll with the arrow keys' });
    this.note = el('div');
    const kind = model.data.file_nodes.rows.length > 1 ? 'file' : 'module';
    this.element = section('graph', 'Call graph',
      el('p', { class: 'controls' }, choice('Boxes are', Object.entries(kinds).map(([key, one]) => [key, one.label]), kind, (chosen) => this.draw(chosen))),
      this.canvas, this.note);
    this.draw(kind);
  }

  name(kind, id) {
    if (kind === 'file') return this.model.fileName(id);
    return id === null ? '(module not known)' : visible(id); // of the user's map, or a library
  }

  choose(kind) {
    const { node, from, to } = kinds[kind];
    const nodes = objects(this.model.data[`${kind}_nodes`]).map((one) => ({ ...one, key: String(one[node]), name: this.name(kind, one[node]) }));
    const edges = objects(this.model.data[`${kind}_edges`]).map((one) => ({ ...one, from: String(one[from]), to: String(one[to]) }));
    const least = nodes.reduce((sum, one) => sum + one.self_ns, 0) / 1000;
    const shown = nodes.filter((one, i) => i < NODES_MAX && (i < NODES_SURE || one.self_ns >= least));
    const keys = new Set(shown.map((one) => one.key));
    const between = edges.filter((one) => one.from !== one.to);
    const within = between.filter((one) => keys.has(one.from) && keys.has(one.to));
    // The strongest line into each box, so that none stands alone, and then the strongest of all.
    const reached = new Set();
    const first = within.filter((one) => !reached.has(one.to) && reached.add(one.to));
    const lines = [...first, ...within.filter((one) => !first.includes(one))].slice(0, EDGES_MAX);
    for (const one of shown) {
      one.inside = edges.filter((edge) => edge.from === one.key && edge.to === one.key).reduce((sum, edge) => sum + edge.calls, 0);
    }
    return { nodes, shown, between, lines,
      left: { nodes: nodes.length - shown.length + this.model.data[`${kind}_nodes`].left_out,
        edges: between.length - lines.length + this.model.data[`${kind}_edges`].left_out } };
  }

  draw(kind) {
    const chosen = this.choose(kind);
    if (chosen.shown.length === 0) {
      replace(this.canvas, el('p', { class: 'nothing' }, 'No calls were recorded.'));
      return;
    }
    const graph = new graphlib.Graph();
    graph.setGraph({ rankdir: 'TB', nodesep: 22, ranksep: 44, marginx: 8, marginy: 8, acyclicer: 'greedy' });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const one of chosen.shown) graph.setNode(one.key, { width: Math.max(128, Math.min(220, 7.6 * one.name.length + 18)), height: HIGH, one });
    for (const edge of chosen.lines) graph.setEdge(edge.from, edge.to, { edge, weight: 1 + Math.round(Math.log10(edge.calls + 1)) });
    layout(graph);
    const { width = 100, height = 60 } = graph.graph();
    const most = Math.max(1, ...chosen.shown.map((one) => one.self_ns));
    const drawing = svg('svg', { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
      role: 'img', 'aria-label': `Call graph of ${chosen.shown.length} ${kinds[kind].label.toLowerCase()}` },
    svg('defs', null, svg('marker', { id: 'arrow', viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse' },
      svg('path', { d: 'M0 0L10 5L0 10z', class: 'arrow' }))),
    graph.edges().map((key) => this.line(kind, graph.edge(key))), graph.nodes().map((key) => this.box(graph.node(key), most)));
    replace(this.canvas, drawing);
    replace(this.note, this.words(kind, chosen));
  }

  line(kind, { points, edge }) {
    return svg('path', { d: curve(points), class: 'edge', 'stroke-width': (0.8 + Math.log10(edge.calls + 1) / 2.2).toFixed(2), 'marker-end': 'url(#arrow)' },
      svg('title', null, `${this.name(kind, edge[kinds[kind].from])} calls ${this.name(kind, edge[kinds[kind].to])}: ${times(edge.calls, 'call')} of `
        + `${times(edge.callees, 'function')}, ${time(edge.total_ns)}`));
  }

  box({ x, y, width, one }, most) {
    const title = `${one.name}: ${times(one.functions, 'function')} called, ${times(one.calls, 'call')} (${count(one.inside)} from within), self ${time(one.self_ns)}`;
    const rect = svg('rect', { x: x - width / 2, y: y - HIGH / 2, width, height: HIGH, rx: 5, class: 'node' });
    const shade = svg('rect', { x: x - width / 2, y: y - HIGH / 2, width, height: HIGH, rx: 5, class: 'shade' });
    shade.style.opacity = (0.65 * Math.sqrt(one.self_ns / most)).toFixed(3);
    return svg('a', { href: '#functions', onclick: () => this.table.find(one.name) }, svg('title', null, title), rect, shade,
      svg('text', { x, y: y - 3, class: 'name' }, fitted(one.name, width - 10)),
      svg('text', { x, y: y + 12, class: 'under' }, `${time(one.self_ns)}, ${percent(one.self_ns, this.model.totals.self_ns)}`));
  }

  words(kind, chosen) {
    const { from, to } = kinds[kind];
    const columns = [
      { key: 'caller', label: 'From', text: (row) => this.name(kind, row[from]), value: (row) => this.name(kind, row[from]), show: (row) => this.name(kind, row[from]) },
      { key: 'callee', label: 'To', text: (row) => this.name(kind, row[to]), value: (row) => this.name(kind, row[to]), show: (row) => this.name(kind, row[to]) },
      { key: 'calls', label: 'Calls', number: true, show: (row) => count(row.calls) },
      { key: 'callees', label: 'Functions called', number: true, show: (row) => count(row.callees) },
      { key: 'total_ns', label: 'Total', number: true, show: (row) => time(row.total_ns) },
    ];
    const lead = 'Self time, waiting included, and its share; the stronger the colour, the more. A click lists the functions.';
    return [el('p', { class: 'legend' }, lead),
      (chosen.left.nodes > 0 || chosen.left.edges > 0) && leftOut(`Drawn are the ${kinds[kind].label.toLowerCase()} with the most self time and the `
        + `lines with the most calls; left out are ${count(chosen.left.nodes)} and ${count(chosen.left.edges)}.`),
      chosen.between.length > 0 && el('details', null, el('summary', null, 'The same as a table'),
        new Table({ columns, rows: chosen.between, sort: 'calls', label: 'Calls between them', search: 'Search', page: 30 }).element)];
  }
}
