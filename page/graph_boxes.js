// What the call graph draws: the boxes and the lines between them, as the kind of box asked for and the groups that are
// collapsed to one box make them. A function is part of a file and of a module, a file of a module; modules are those of
// the user's map (fisql modules), else programs and libraries. A box's key is its kind and its id.
import { visible } from './format.js';
import { objects } from './model.js';

// most: boxes that are drawn, and lines; sure: boxes that are drawn however little time they took; group: what a box of the
// kind is part of next.
export const kinds = {
  function: { label: 'Functions', one: 'function', group: 'file', most: 40, lines: 80, sure: 40, time: 'CPU' },
  file: { label: 'Files', one: 'file', group: 'module', most: 26, lines: 44, sure: 12, time: 'Total' },
  module: { label: 'Modules', one: 'module', group: null, most: 26, lines: 44, sure: 12, time: 'Total' },
};

const keyOf = (kind, id) => `${kind}:${id ?? ''}`;
export const kindOf = (key) => key.slice(0, key.indexOf(':'));

export class Boxes {
  constructor(model) {
    this.model = model;
    this.rows = { file: new Map(), module: new Map() }; // of the run's sums, by key
    for (const kind of ['file', 'module']) {
      const column = kind === 'file' ? 'file_id' : 'module';
      for (const row of objects(model.data[`${kind}_nodes`])) this.rows[kind].set(keyOf(kind, row[column]), { ...row, id: row[column] });
    }
  }

  // What one is part of, from the next level up: [key, ...].
  groups(kind, id) {
    if (kind === 'function') {
      const known = this.model.named.get(id);
      return [keyOf('file', known ? known.file : null), keyOf('module', this.model.moduleOf(id))];
    }
    const row = kind === 'file' && this.rows.file.get(keyOf('file', id));
    return row ? [keyOf('module', row.module)] : [];
  }

  // The box that stands for one: itself, or the highest of its groups that is collapsed.
  box(kind, id, collapsed) {
    const groups = this.groups(kind, id);
    for (let level = groups.length - 1; level >= 0; level--) if (collapsed.has(groups[level])) return groups[level];
    return keyOf(kind, id);
  }

  name(key, id) {
    const kind = kindOf(key);
    if (kind === 'function') return this.model.name(id);
    if (kind === 'file') return this.model.fileName(id);
    return id === null ? '(module not known)' : visible(String(id));
  }

  members(kind) {
    if (kind !== 'function') return [...this.rows[kind].values()];
    return this.model.shown.map((one) => ({ id: one.id, functions: 1, calls: one.calls, self_ns: one.self_ns }));
  }

  edges(kind) {
    if (kind === 'function') {
      return objects(this.model.data.edges).filter((one) => one.caller_id !== null)
        .map((one) => ({ from: one.caller_id, to: one.callee_id, calls: one.calls, callees: 1, time_ns: one.cpu_ns }));
    }
    const [from, to] = kind === 'file' ? ['from_file_id', 'to_file_id'] : ['from_module', 'to_module'];
    return objects(this.model.data[`${kind}_edges`])
      .map((one) => ({ from: one[from], to: one[to], calls: one.calls, callees: one.callees, time_ns: one.total_ns }));
  }

  // All boxes of the kind, collapsed groups first, else the most important first.
  all(kind, collapsed) {
    const boxes = new Map();
    for (const member of this.members(kind)) {
      const key = this.box(kind, member.id, collapsed), boxKind = kindOf(key);
      let box = boxes.get(key);
      if (!box) {
        const group = boxKind !== kind;
        const sums = group && this.rows[boxKind].get(key); // of functions that the page has no room for, too
        const id = sums ? sums.id : group ? null : member.id;
        const groups = group ? this.groups(boxKind, id) : this.groups(kind, member.id);
        box = { key, kind: boxKind, group, name: this.name(key, id), id, up: groups[0] ?? null, functions: 0, calls: 0, self_ns: 0, inside: 0, members: 0,
          ...(sums ? { functions: sums.functions, calls: sums.calls, self_ns: sums.self_ns, summed: true } : {}) };
        boxes.set(key, box);
      }
      box.members++;
      if (!box.summed) for (const sum of ['functions', 'calls', 'self_ns']) box[sum] += member[sum];
    }
    return new Map([...boxes].sort(([, a], [, b]) => b.group - a.group));
  }

  // The lines between boxes, those of most calls first; calls within a box are its own figure.
  between(kind, collapsed, boxes) {
    const lines = new Map();
    for (const edge of this.edges(kind)) {
      const from = this.box(kind, edge.from, collapsed), to = this.box(kind, edge.to, collapsed);
      if (!boxes.has(from) || !boxes.has(to)) continue;
      if (from === to) {
        boxes.get(from).inside += edge.calls;
        continue;
      }
      const key = `${from}\n${to}`, line = lines.get(key);
      if (!line) lines.set(key, { from, to, calls: edge.calls, callees: edge.callees, time_ns: edge.time_ns, caller: boxes.get(from).name, callee: boxes.get(to).name });
      else {
        line.calls += edge.calls;
        line.time_ns += edge.time_ns;
        line.callees = null; // one function may be called from several of them
      }
    }
    return [...lines.values()].sort((a, b) => b.calls - a.calls);
  }

  // What is drawn: {boxes, between, lines, left: {boxes, lines}}.
  choose(kind, collapsed) {
    const { most, lines: linesMost, sure } = kinds[kind];
    const boxes = this.all(kind, collapsed), between = this.between(kind, collapsed, boxes);
    const list = [...boxes.values()];
    const least = list.reduce((sum, one) => sum + one.self_ns, 0) / 1000;
    const shown = list.filter((one, i) => i < most && (one.group || i < sure || one.self_ns >= least));
    const keys = new Set(shown.map((one) => one.key));
    const within = between.filter((one) => keys.has(one.from) && keys.has(one.to));
    // The strongest line into each box, so that none stands alone, and then the strongest of all.
    const reached = new Set();
    const first = within.filter((one) => !reached.has(one.to) && reached.add(one.to));
    const strongest = new Set(first);
    const drawn = [...first, ...within.filter((one) => !strongest.has(one))].slice(0, linesMost);
    const parts = kind === 'function' ? ['functions', 'edges'] : [`${kind}_nodes`, `${kind}_edges`];
    const [boxesLeft, linesLeft] = parts.map((part) => this.model.data[part].left_out);
    return { boxes: shown, between, lines: drawn,
      left: { boxes: list.length - shown.length + boxesLeft, lines: between.length - drawn.length + linesLeft } };
  }
}
