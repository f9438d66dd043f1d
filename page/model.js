// The run's data, as the page's JSON has it (cli/report/report.h), made easy to use: rows become objects,
// ids become names.
import { el } from './dom.js';
import { visible } from './format.js';

// {columns, rows} to a list of objects
export function objects(part) {
  if (!part) return [];
  return part.rows.map((row) => {
    const item = {};
    for (let i = 0; i < part.columns.length; i++) item[part.columns[i]] = row[i];
    return item;
  });
}

const lastPart = (path) => path.slice(path.lastIndexOf('/') + 1);

export class Model {
  constructor(data) {
    this.data = data;
    this.run = new Map(data.run.rows);
    this.hooksNs = (Number(this.run.get('hook_inside_ps') || 0) + Number(this.run.get('hook_outside_ps') || 0)) / 1000;
    this.totals = objects(data.totals)[0];
    this.threads = objects(data.threads);
    this.threadById = new Map(this.threads.map((thread) => [thread.id, thread]));
    this.modules = new Map(objects(data.modules).map((module) => [module.id, module]));
    this.files = new Map(data.files.map(([id, path]) => [id, visible(path)]));
    this.sites = new Map(data.sites.map(([id, file, line]) => [id, { file, line }]));
    this.named = new Map();
    for (const [id, name, file, line, module] of data.names) {
      this.named.set(id, { id, name: visible(name), file, line, module });
    }
    this.functions = objects(data.functions).map((stats) => ({
      ...stats,
      id: stats.function_id,
      name: this.name(stats.function_id),
      location: this.location(stats.function_id),
      file: (this.named.get(stats.function_id) || {}).file,
    }));
    this.functionById = new Map(this.functions.map((one) => [one.id, one]));
    this.readFrames();
    this.readEdges();
  }

  readFrames() {
    const { columns, rows } = this.data.frames;
    const at = Object.fromEntries(columns.map((name, i) => [name, i]));
    this.frames = rows.map((row) => ({
      id: row[at.id],
      parent: row[at.parent],
      functionId: row[at.function_id],
      siteId: row[at.site_id],
      flame: row[at.flame] === 1,
      self_ns: row[at.self_ns] || 0,
      calls: row[at.calls] || 0,
      time: row[at.all_ns] || 0,
      allCalls: row[at.all_calls] || 0,
      bytes: row[at.all_bytes] || 0,
    }));
    this.frameById = new Map(this.frames.map((frame) => [frame.id, frame]));
  }

  readEdges() {
    this.callers = new Map();
    this.callees = new Map();
    const put = (map, key, edge) => {
      if (!map.has(key)) map.set(key, []);
      map.get(key).push(edge);
    };
    for (const edge of objects(this.data.edges)) {
      put(this.callers, edge.callee_id, edge);
      if (edge.caller_id !== null) put(this.callees, edge.caller_id, edge);
    }
  }

  name(id) {
    const known = this.named.get(id);
    return known ? known.name : id ? `function ${id}` : '(none)';
  }

  // file.c:12
  location(id) {
    const known = this.named.get(id);
    if (!known) return '';
    if (known.file === null) return known.module === null ? '' : this.moduleName(known.module);
    return this.fileLine(known.file, known.line);
  }

  fileLine(file, line) {
    if (file === null || file === undefined || !this.files.has(file)) return '';
    return lastPart(this.files.get(file)) + (line ? `:${line}` : '');
  }

  siteLocation(id) {
    const site = this.sites.get(id);
    return site ? this.fileLine(site.file, site.line) : '';
  }

  fileName(id) {
    return this.files.has(id) ? lastPart(this.files.get(id)) : '(file not known)';
  }

  moduleName(id) {
    const module = this.modules.get(id);
    return module ? visible(module.name) : '(module not known)';
  }

  threadName(id) {
    const thread = this.threadById.get(id);
    if (!thread) return `thread ${id}`;
    return thread.name ? `${visible(thread.name)} ${thread.tid}` : `thread ${thread.tid}`;
  }

  // The frames of a stack, outermost first; empty where the page does not have it.
  stack(frameId) {
    const frames = [];
    for (let frame = this.frameById.get(frameId); frame; frame = this.frames[frame.parent]) frames.push(frame);
    return frames.reverse();
  }

  // The address of the function's part of the page, null where it has none.
  anchor(id) {
    return this.functionById.has(id) ? `#function-${id}` : null;
  }

  // A link to it; text alone where there is none.
  link(id, className) {
    const href = this.anchor(id);
    return href ? el('a', { href, class: className }, this.name(id)) : el('span', { class: className }, this.name(id));
  }

  // The function of that name; several of a name give the dearest.
  functionNamed(name) {
    if (!this.byName) {
      this.byName = new Map();
      for (const one of this.functions) if (!this.byName.has(one.name)) this.byName.set(one.name, one);
    }
    return this.byName.get(name);
  }
}
