// The run's data, as the page's JSON has it (cli/report/report.h), made easy to use: rows become objects,
// ids become names.
import { breakable, el } from './dom.js';
import { visible } from './format.js';
import { bare } from './words.js';

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
    this.foreign = this.run.has('source'); // another tool's trace: its times have waiting, and it knows calls alone
    this.allCode = false; // or the user's own alone
    this.listeners = [];
    this.served = false; // or a server answers for single calls and sources
    this.hooksNs = (Number(this.run.get('hook_inside_ps') || 0) + Number(this.run.get('hook_outside_ps') || 0)) / 1000;
    this.errorNs = Number(this.run.get('hook_cost_error_ns') || 0); // how far all times together may be off
    this.errorShare = this.errorNs / Math.max(1, Number(this.run.get('hook_cost_ns') || 0));
    this.totals = objects(data.totals)[0];
    this.totals.cpu_ns = Math.max(0, this.totals.self_ns - this.totals.wait_ns - this.totals.preempted_ns);
    this.hasWaits = this.totals.wait_ns + this.totals.preempted_ns > 0;
    this.threads = objects(data.threads);
    this.threadById = new Map(this.threads.map((thread) => [thread.id, thread]));
    this.modules = new Map(objects(data.modules).map((module) => [module.id, module]));
    this.files = new Map(data.files.map(([id, path]) => [id, visible(path)]));
    this.sites = new Map(data.sites.map(([id, file, line]) => [id, { file, line }]));
    this.named = new Map();
    for (const [id, name, file, line, module, own, full] of data.names) {
      this.named.set(id, { id, name: visible(name), file, line, module, own: own !== 0, full: full ? visible(full) : null });
    }
    const mapNames = new Map((data.module_names ? data.module_names.rows : []).map(([id, name]) => [id, name]));
    this.mapped = new Map((data.function_modules ? data.function_modules.rows : []).map(([id, module]) => [id, mapNames.get(module)]));
    this.functions = objects(data.functions).map((stats) => ({
      ...stats,
      id: stats.function_id,
      name: this.name(stats.function_id),
      location: this.location(stats.function_id),
      file: (this.named.get(stats.function_id) || {}).file,
      own: this.isOwn(stats.function_id),
      doubt_ns: this.errorShare * (stats.raw_self_ns - stats.self_ns),
      total_cpu_ns: Math.max(0, stats.total_ns - stats.wait_ns - stats.preempted_ns),
    }));
    this.ownSpent = new Map(objects(data.own).map((one) => [one.function_id, one]));
    this.hasLibraries = this.ownSpent.size > 0;
    this.spend();
    this.functionById = new Map(this.functions.map((one) => [one.id, one]));
    this.readFrames();
    this.readEdges();
  }

  // Functions that the data lacks: [[id, name, own], ...]
  learn(functions) {
    for (const [id, name, own] of functions) {
      if (!this.named.has(id)) this.named.set(id, { id, name: visible(name), file: null, line: null, module: null, own: own !== 0, full: null });
    }
  }

  isOwn(id) {
    const known = this.named.get(id);
    return !known || known.own;
  }

  // What each function spends itself: cpu_ns, wait_self_ns, bytes; where the user's own code is shown
  // alone, with the libraries' functions that it calls. The functions shown are `shown`.
  spend() {
    const fold = this.hasLibraries && !this.allCode;
    for (const one of this.functions) {
      const own = fold ? this.ownSpent.get(one.id) : null;
      one.cpu_ns = fold ? (own ? own.cpu_ns : 0) : Math.max(0, one.self_ns - one.self_wait_ns - one.self_preempted_ns);
      one.waits_ns = fold ? (own ? own.wait_ns : 0) : one.self_wait_ns;
      one.bytes = fold ? (own ? own.bytes : 0) : one.alloc_bytes;
    }
    this.shown = fold ? this.functions.filter((one) => one.own || this.ownSpent.has(one.id)) : this.functions;
  }

  setAllCode(all) {
    this.allCode = all;
    this.spend();
  }

  tellCode() {
    for (const listener of this.listeners) listener();
  }

  // Calls back when the page turns from own code to all code, or back.
  onCode(listener) {
    this.listeners.push(listener);
  }

  readFrames() {
    const { columns, rows } = this.data.frames;
    const at = Object.fromEntries(columns.map((name, i) => [name, i]));
    const from = at.cpu_ns; // its own five figures, then the same with what lies below
    this.frames = rows.map((row) => ({
      id: row[at.id],
      parent: row[at.parent],
      functionId: row[at.function_id],
      siteId: row[at.site_id],
      flame: row[at.flame] === 1,
      self: row[at.flame] === 1 ? row.slice(from, from + 5) : [0, 0, 0, 0, 0],
      all: row[at.flame] === 1 ? row.slice(from + 5, from + 10) : [0, 0, 0, 0, 0],
      first: row[at.flame] === 1 ? row[at.first_ns] : Infinity,
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
    return known ? known.name : id < 0 ? '(contexts left out)' : id ? `function ${id}` : '(none)';
  }

  // With parameters and template arguments, where the name alone leaves them out.
  fullName(id) {
    const known = this.named.get(id);
    return (known && known.full) || this.name(id);
  }

  // file.c:12
  location(id) {
    const known = this.named.get(id);
    if (!known) return '';
    if (known.file === null) return known.module === null ? '' : this.moduleName(known.module);
    return this.fileLine(known.file, known.line);
  }

  // The text of a function's place; where a server has the sources, a link to the line.
  place(id, text) {
    const known = this.named.get(id);
    return this.served && known && known.file !== null ? el('a', { href: `#source:${known.file}:${known.line || 1}` }, text) : text;
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

  // Its module, by the user's map (fisql modules), else its program or library; null where it is not known.
  moduleOf(id) {
    const known = this.named.get(id), library = known && this.modules.get(known.module);
    return this.mapped.get(id) ?? (library ? library.name : null);
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

  // The stack that is shown: without the calls of libraries within own code, where that is asked for.
  shownStack(frameId) {
    const frames = this.stack(frameId);
    if (this.allCode || !this.hasLibraries) return frames;
    let own = false;
    return frames.filter((frame) => {
      const here = this.isOwn(frame.functionId), keep = here || !own;
      own = own || here;
      return keep;
    });
  }

  // The address of the function's part of the page, null where it has none.
  anchor(id) {
    return this.functionById.has(id) ? `#function-${id}` : null;
  }

  // A link to it; text alone where there is none. Names of more letters are shown without what says least.
  link(id, className, letters = Infinity) {
    const href = this.anchor(id);
    const full = this.fullName(id), whole = this.name(id);
    const name = whole.length > letters ? bare(whole) : whole;
    const title = full === name ? null : full;
    return el(href ? 'a' : 'span', { href, class: className, title }, name.length > 12 ? breakable(name) : name);
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
