// Trees for the flame graph, made of the run's contexts: from the outermost call down, inverted (what is
// dearest itself, then who called it), and around one function (its callers and its callees).
//
// A node: {functionId, self, all, children, parent, place}; self and all are spent times and
// counts in the order of SPENT, all with what lies below. Contexts of one function under one parent
// are one node, whatever the call sites. place: of a context in the model, -1 for the root; first: when it was first called.
export const SPENT = ['cpu', 'wait', 'preempted', 'calls', 'bytes'];
export const LEFT_OUT = -1; // functionId of what the page has no contexts of

export const metrics = {
  cpu: (spent) => spent[0],
  wait: (spent) => spent[1],
  both: (spent) => spent[0] + spent[1] + spent[2],
  calls: (spent) => spent[3],
  bytes: (spent) => spent[4],
};

const nothing = () => [0, 0, 0, 0, 0];
function add(sum, more) {
  for (let i = 0; i < sum.length; i++) sum[i] += more[i];
}

function node(functionId, parent, place = -1) {
  return { functionId, parent, place, first: Infinity, self: nothing(), all: nothing(), children: [], byKey: new Map() };
}

function child(parent, key, functionId, place) {
  let found = parent.byKey.get(key);
  if (!found) {
    found = node(functionId, parent, place);
    parent.byKey.set(key, found);
    parent.children.push(found);
  }
  return found;
}

// Adds up from the leaves on, where self is known.
function addUp(root) {
  const order = [root];
  for (let i = 0; i < order.length; i++) order.push(...order[i].children);
  for (let i = order.length - 1; i >= 0; i--) {
    add(order[i].all, order[i].self);
    if (order[i].parent) add(order[i].parent.all, order[i].all);
  }
  return root;
}

// From the outermost call down. thread: {data, rest} of one thread (cli/report/report_threads.c);
// hidden: functions that are left out with all below them; focus: the function that all shown
// contexts are within, or around; keyOf: what makes contexts under one parent one node; frames: the contexts
export function topDown(model, { thread = null, hidden = new Set(), focus = null, keyOf = (id) => id, frames = model.frames } = {}) {
  const root = node(0, null);
  const nodes = new Array(frames.length);
  const within = new Uint8Array(frames.length);
  const spent = thread ? new Map() : null;
  if (thread) for (let i = 0; i < thread.data.length; i += 5) spent.set(thread.data[i], [...thread.data.slice(i + 1, i + 5), 0]);
  const below = thread ? null : frames.map(nothing);
  if (below) frames.forEach((frame) => { if (frame.flame && frame.parent >= 0) add(below[frame.parent], frame.all); });
  frames.forEach((frame, i) => {
    if (!frame.flame) return;
    const above = frame.parent < 0 ? root : nodes[frame.parent];
    if (!above || hidden.has(frame.functionId)) return;
    const folded = !model.allCode && above !== root && !model.isOwn(frame.functionId) && model.isOwn(above.functionId);
    const here = folded ? above : child(above, keyOf(frame.functionId), frame.functionId, i);
    nodes[i] = here;
    here.first = Math.min(here.first, frame.first);
    within[i] = focus === null || frame.functionId === focus || (frame.parent >= 0 && within[frame.parent]) ? 1 : 0;
    if (!within[i]) return;
    if (thread) {
      if (spent.has(i)) add(here.self, spent.get(i));
      return;
    }
    add(here.self, frame.self);
    const rest = frame.all.map((value, k) => Math.max(0, value - frame.self[k] - below[i][k]));
    if (rest.some((value) => value > 0)) add(child(here, LEFT_OUT, LEFT_OUT, i).self, rest);
  });
  return addUp(root);
}

// The contexts of a range of time, as a server tells them (docs/api.md, range), for topDown(): parents first.
export function framesOfRange(rows) {
  const sorted = rows.slice().sort((a, b) => a[0] - b[0]);
  const at = new Map(sorted.map(([id], i) => [id, i]));
  const frames = sorted.map(([id, parent, functionId, calls, self, wait, preempted, , bytes], i) => {
    const spent = [Math.max(0, self - wait - preempted), wait, preempted, calls, bytes];
    return { id, parent: at.has(parent) && at.get(parent) < i ? at.get(parent) : -1, functionId, flame: true, first: id, self: spent, all: spent.slice() };
  });
  for (let i = frames.length - 1; i >= 0; i--) if (frames[i].parent >= 0) add(frames[frames[i].parent].all, frames[i].all);
  return frames;
}

// The same, made once where nothing narrows it.
export function wholeTree(model, options) {
  if (options.thread || options.hidden.size > 0 || options.focus !== null) return topDown(model, options);
  model.whole = model.whole || new Map(); // by whether all code is shown
  if (!model.whole.has(model.allCode)) model.whole.set(model.allCode, topDown(model));
  return model.whole.get(model.allCode);
}

// What is dearest itself first, its callers below it.
export function inverted(tree) {
  const root = node(0, null);
  const walk = (at) => {
    if (at.parent && at.self.some((value) => value > 0)) {
      let here = root;
      for (let up = at; up.parent; up = up.parent) {
        here = child(here, up.functionId, up.functionId, up.place);
        add(here.all, at.self);
      }
      add(root.all, at.self);
    }
    at.children.forEach(walk);
  };
  walk(tree);
  for (const one of root.children) one.self = one.all;
  return root;
}

export const CHAIN = 4; // functions at least that one box stands for

// Chains of functions of which each does next to nothing but call the next one become one node, that of the last one: such
// as from main to the function that does a command's work. node.chain has the functions, outermost first.
export function foldChains(tree, valueOf) {
  const root = { ...tree, children: [] };
  const waiting = [[tree, root]];
  for (let i = 0; i < waiting.length; i++) {
    const [from, to] = waiting[i];
    for (const one of from.children) {
      const chain = [one];
      for (let last = one; last.children.length === 1 && last.children[0].functionId > 0; chain.push(last)) {
        if (valueOf(last.children[0]) < 0.99 * valueOf(last)) break;
        last = last.children[0];
      }
      const ends = one.functionId > 0 && chain.length >= CHAIN;
      const copy = { ...(ends ? chain.at(-1) : one), parent: to, children: [] };
      if (ends) copy.chain = chain.map((each) => each.functionId);
      to.children.push(copy);
      waiting.push([ends ? chain.at(-1) : one, copy]);
    }
  }
  return root;
}

// A function's outermost contexts put together: {callers, callees}, two trees whose root is the function.
export function around(tree, functionId) {
  const callers = node(functionId, null), callees = node(functionId, null);
  const merge = (from, to) => {
    add(to.self, from.self);
    add(to.all, from.all);
    for (const one of from.children) merge(one, child(to, one.functionId, one.functionId, one.place));
  };
  const walk = (at) => {
    if (at.functionId === functionId) {
      callers.place = callees.place = at.place;
      add(callers.all, at.all);
      merge(at, callees);
      let here = callers;
      for (let up = at.parent; up && up.parent; up = up.parent) {
        here = child(here, up.functionId, up.functionId, up.place);
        add(here.all, at.all);
      }
      return;
    }
    at.children.forEach(walk);
  };
  walk(tree);
  return { callers, callees };
}
