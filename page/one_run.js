// The page of one run: its sections, put up and started. served: of `fisql serve` (served.js), which asks a server for
// what the report's page cannot hold; null: all there is to show is in `data`.
import { CallTree } from './call_tree.js';
import { startCodeSwitch } from './code_switch.js';
import { findings } from './findings.js';
import { Flame } from './flame.js';
import { visible } from './format.js';
import { FunctionPage, functionsTable } from './functions.js';
import { CallGraph } from './graph.js';
import { memory } from './memory.js';
import { Model } from './model.js';
import { aboutRun } from './run.js';
import { putUp, startShell } from './shell.js';
import { Summary } from './summary.js';
import { Timeline } from './timeline.js';
import { sentence } from './words.js';

export function oneRun(data, served = null) {
  const model = new Model(data);
  model.served = served !== null;
  document.title = `${sentence(visible(String(model.run.get('command') || 'a run')), 80)} - fisql ${served ? 'serve' : 'report'}`;
  const summary = new Summary(model);
  const flame = new Flame(model);
  const timeline = new Timeline(model, { source: served ? served.source(model) : null });
  const functions = functionsTable(model);
  const functionPage = new FunctionPage(model, { flame, timeline });
  const tree = new CallTree(model);
  const graph = new CallGraph(model, functions.table);
  const views = served ? served.views(model, timeline) : [];
  const sections = [summary.element, flame.element, tree.element, timeline.element, functions.element, functionPage.element, graph.element,
    memory(model), findings(model), aboutRun(model)];
  if (served) sections.splice(4, 0, ...views.map((view) => view.element));
  putUp(sections);
  startCodeSwitch([model]);
  const drawn = [summary, flame, timeline];
  for (const part of drawn) part.measure();
  for (const part of drawn) part.start();
  startShell({
    sections,
    names: model.functions.map((one) => one.name),
    find: (name) => (model.functionNamed(name) ? model.anchor(model.functionNamed(name).id) : null),
    search: (text) => {
      const found = functions.table.find(text);
      return found.length === 1 ? model.anchor(found[0].id) : null;
    },
    showFunction: (id) => functionPage.show(id),
    keys: served ? [['In the console', ''], ['Ctrl and Enter', 'run the statement'], ['Ctrl and Space', 'complete a name']] : [],
    follow: served ? (hash) => served.follow(hash, timeline) : null,
  });
}
