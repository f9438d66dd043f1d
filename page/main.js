// The report page: reads the data from the page and puts up the sections of one run, or of two.
import { diff } from './diff.js';
import { el, replace } from './dom.js';
import { Flame } from './flame.js';
import { visible } from './format.js';
import { FunctionPage, functionsTable } from './functions.js';
import { CallGraph } from './graph.js';
import { memory } from './memory.js';
import { Model } from './model.js';
import { putUp, startShell, startTheme } from './shell.js';
import { summary } from './summary.js';
import { Timeline } from './timeline.js';

function oneRun(data) {
  const model = new Model(data);
  document.title = `${visible(String(model.run.get('command') || 'a run')).slice(0, 80)} - fisql report`;
  const flame = new Flame(model);
  const timeline = new Timeline(model);
  const functions = functionsTable(model);
  const functionPage = new FunctionPage(model, { flame, timeline });
  const graph = new CallGraph(model, functions.table);
  const sections = [summary(model), flame.element, timeline.element, functions.element, functionPage.element, graph.element, memory(model)];
  putUp(sections);
  flame.start();
  timeline.start();
  startShell({
    sections,
    names: model.functions.map((one) => one.name),
    find: (name) => (model.functionNamed(name) ? model.anchor(model.functionNamed(name).id) : null),
    search: (text) => functions.table.find(text),
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
