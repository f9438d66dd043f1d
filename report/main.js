// The report page: reads the run's data from the page, puts the sections together, and keeps what is
// common to them: navigation, links to functions, keys, theme, printing.
import { el, replace, themeChanged } from './dom.js';
import { Flame } from './flame.js';
import { FunctionPage, functionsTable } from './functions.js';
import { CallGraph } from './graph.js';
import { memory } from './memory.js';
import { Model } from './model.js';
import { visible } from './format.js';
import { summary } from './summary.js';
import { Timeline } from './timeline.js';

const root = document.documentElement;

// ---- theme ----

function remembered() {
  try {
    return localStorage.getItem('fisql-theme');
  } catch {
    return null; // a page from a file may keep nothing
  }
}

function setTheme(theme, keep) {
  root.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? '☀ Light' : '☾ Dark';
  if (keep) {
    try {
      localStorage.setItem('fisql-theme', theme);
    } catch {
      // it holds until the page is closed
    }
  }
  themeChanged();
}

function startTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  setTheme(remembered() || (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', () => {
    if (!remembered()) setTheme(system.matches ? 'dark' : 'light');
  });
  document.getElementById('theme').addEventListener('click', () => setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark', true));
  let before = null;
  addEventListener('beforeprint', () => {
    before = root.dataset.theme;
    setTheme('light');
  });
  addEventListener('afterprint', () => setTheme(before || 'light'));
}

// ---- navigation ----

const help = [
  ['/', 'go to a function'], ['1 to 7', 'go to a section'], ['t', 'switch between light and dark'], ['?', 'these keys'],
  ['In the flame graph', ''], ['arrows', 'move to caller, callee, neighbours'], ['Enter', 'zoom in'], ['Escape', 'zoom out'], ['f', 'open the function'],
  ['In the timeline', ''], ['left, right', 'pan'], ['+, -', 'zoom'], ['up, down', 'scroll the lanes'], ['n, p', 'next call, the one before'],
  ['Enter', 'zoom to the chosen call'], ['Home', 'whole run'], ['f', 'open the function'],
  ['drag; shift and drag; wheel', 'pan; zoom to what was dragged over; zoom (once clicked)'],
];

function keysDialog() {
  const dialog = document.getElementById('keys');
  replace(dialog, el('h2', null, 'Keys'), el('dl', null, help.map(([key, what]) =>
    (what ? [el('dt', null, el('kbd', null, key)), el('dd', null, what)] : el('dt', { class: 'head' }, key)))),
  el('form', { method: 'dialog' }, el('button', { autofocus: true }, 'Close')));
  return dialog;
}

function startKeys(sections) {
  const dialog = keysDialog();
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === '/') document.getElementById('find-function').focus();
    else if (event.key === '?') dialog.showModal();
    else if (event.key === 't') document.getElementById('theme').click();
    else if (/^[1-9]$/.test(event.key) && sections[event.key - 1]) location.hash = `#${sections[event.key - 1].id}`;
    else return;
    event.preventDefault();
  });
}

function startFinding(model, page) {
  const input = document.getElementById('find-function');
  const list = document.getElementById('function-names');
  replace(list, model.functions.slice(0, 3000).map((one) => el('option', { value: one.name })));
  document.getElementById('find').addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = input.value.trim();
    const known = model.functionNamed(wanted);
    if (known) {
      location.hash = `#function-${known.id}`;
    } else if (wanted) {
      page.table.find(wanted);
      location.hash = '#functions';
    }
  });
  input.addEventListener('input', (event) => { // chosen from the list
    if (event.inputType === 'insertReplacementText' && model.functionNamed(input.value)) document.getElementById('find').requestSubmit();
  });
}

function follow(functionPage) {
  const match = /^#function-(\d+)$/.exec(location.hash);
  const target = match ? functionPage.show(Number(match[1])) : document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

function watchSections(sections, links) {
  const seen = new Map();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) seen.set(entry.target.id, entry.isIntersecting);
    const current = sections.find((one) => seen.get(one.id));
    for (const link of links) {
      if (current && link.getAttribute('href') === `#${current.id}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }, { rootMargin: '-20% 0px -60% 0px' });
  sections.forEach((one) => observer.observe(one));
}

// ---- start ----

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  startTheme();
  const model = new Model(data);
  document.title = `${visible(String(model.run.get('command') || 'a run')).slice(0, 80)} - fisql report`;
  const flame = new Flame(model);
  const timeline = new Timeline(model);
  const functions = functionsTable(model);
  const functionPage = new FunctionPage(model, { flame, timeline });
  const graph = new CallGraph(model, functions.table);
  const sections = [summary(model), flame.element, timeline.element, functions.element, functionPage.element, graph.element, memory(model)];
  replace(document.getElementById('main'), sections);
  const links = sections.map((one, i) => el('a', { href: `#${one.id}`, title: `Key ${i + 1}` }, one.querySelector('h2').textContent));
  replace(document.getElementById('nav'), links);
  flame.start();
  timeline.start();
  startFinding(model, functions);
  startKeys(sections);
  watchSections(sections, links);
  addEventListener('hashchange', () => follow(functionPage));
  if (location.hash) follow(functionPage);
  root.dataset.ready = String(Math.round(performance.now()));
}

try {
  start();
} catch (error) {
  replace(document.getElementById('main'), el('p', { class: 'incomplete' },
    `This page could not be drawn: ${error.message}. Please make it again with fisql report.`));
  throw error;
}
