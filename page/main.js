// The report page: reads the data from the page and puts up the sections of one run, or of two.
import { CallTree } from './call_tree.js';
import { startCodeSwitch } from './code_switch.js';
import { diff } from './diff.js';
import { el, replace } from './dom.js';
import { findings } from './findings.js';
import { Flame } from './flame.js';
import { visible } from './format.js';
import { FunctionPage, functionsTable } from './functions.js';
import { CallGraph } from './graph.js';
import { memory } from './memory.js';
import { Model } from './model.js';
import { aboutRun } from './run.js';
import { putUp, startShell, startTheme } from './shell.js';
import { Summary } from './summary.js';
import { Timeline } from './timeline.js';
import { sentence } from './words.js';

function oneRun(data) {
  const model = new Model(data);
  document.title = `${sentence(visible(String(model.run.get('command') || 'a run')), 80)} - fisql report`;
  const summary = new Summary(model);
  const flame = new Flame(model);
  const timeline = new Timeline(model);
  const functions = functionsTable(model);
  const functionPage = new FunctionPage(model, { flame, timeline });
  const tree = new CallTree(model);
  const graph = new CallGraph(model, functions.table);
  const sections = [summary.element, flame.element, tree.element, timeline.element, functions.element, functionPage.element, graph.element,
    memory(model), findings(model), aboutRun(model)];
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
  });
}

try {
  startTheme();
  const data = JSON.parse(document.getElementById('data').textContent);
  if (data.changes) diff(data);
  else oneRun(data);
} catch (error) {
  replace(document.getElementById('main'), el('p', { class: 'incomplete' },
    `This page could not be drawn: ${error.message}. Please make it again with fisql report.`));
  throw error;
}
