// What every report page has, of one run or of two: theme, navigation, keys, finding, printing.
import { el, replace, themeChanged } from './dom.js';

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
  document.getElementById('theme').textContent = theme === 'dark' ? '☀' : '☾';
  if (keep) {
    try {
      localStorage.setItem('fisql-theme', theme);
    } catch {
      // it holds until the page is closed
    }
  }
  themeChanged();
}

export function startTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  setTheme(remembered() || (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', () => {
    if (!remembered()) setTheme(system.matches ? 'dark' : 'light');
  });
  document.getElementById('theme').addEventListener('click', () => setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark', true));
  let before = null, opened = [];
  // Printed light, at a paper's width and with the findings open, whatever the window shows.
  addEventListener('beforeprint', () => {
    before = root.dataset.theme;
    root.dataset.print = '';
    opened = [...document.querySelectorAll('details.finding:not([open])')];
    for (const one of opened) one.open = true;
    setTheme('light');
  });
  addEventListener('afterprint', () => {
    delete root.dataset.print;
    for (const one of opened) one.open = false;
    setTheme(before || 'light');
  });
}

// ---- navigation ----

const help = [
  ['/', 'go to a function'], ['1 to 9', 'go to a section'], ['t', 'switch between light and dark'], ['?', 'these keys'],
  ['In the flame graph', ''], ['arrows', 'move to caller, callee, neighbours'], ['Enter', 'zoom in'], ['Escape', 'zoom out'], ['f', 'open the function'],
  ['In the call graph', ''], ['arrows; shift and arrows', 'move the box, and pin it'], ['p', 'pin the box, or unpin it'], ['-, +', 'collapse the group of the box; open it'],
  ['In the timeline', ''], ['a, d; left, right', 'pan'], ['w, s; +, -', 'zoom'], ['up, down', 'scroll the lanes'], ['n, p', 'next call, the one before'],
  ['Enter', 'zoom to the chosen call'], ['Home', 'whole run'], ['f', 'open the function'],
  ['drag; shift and drag; wheel', 'select a range; pan; zoom (once clicked)'], ["a lane's name", 'fold the lane'],
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

// names: a list of names to offer; find(name) gives a hash for a whole name, or null; search(text)
// is for what is none: it gives the hash of the only function that has it, or null.
function startFinding(names, find, search) {
  const input = document.getElementById('find-function');
  // The list is made when it is wanted first: by this field or another that offers it.
  document.addEventListener('focusin', (event) => {
    const list = document.getElementById('function-names');
    if (list.childElementCount === 0 && event.target.getAttribute('list')) replace(list, names.slice(0, 3000).map((name) => el('option', { value: name })));
  });
  document.getElementById('find').addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = input.value.trim();
    const hash = find(wanted);
    if (hash) {
      location.hash = hash;
    } else if (wanted) {
      location.hash = search(wanted) || '#functions';
    }
  });
  input.addEventListener('input', (event) => { // chosen from the list
    if (event.inputType === 'insertReplacementText' && find(input.value)) document.getElementById('find').requestSubmit();
  });
}

// Goes to what the address names: a section, or a function, which showFunction(number) puts up.
function follow(showFunction, own) {
  const match = /^#function-(\d+)$/.exec(location.hash);
  const target = match ? showFunction(Number(match[1])) : (own && own(location.hash)) || document.getElementById(location.hash.slice(1));
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
      if (current && link.getAttribute('href') === `#${current.id}`) {
        link.setAttribute('aria-current', 'true');
        const nav = link.parentElement; // it may be wider than there is room for
        nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
      } else link.removeAttribute('aria-current');
    }
  }, { rootMargin: '-20% 0px -60% 0px' });
  sections.forEach((one) => observer.observe(one));
}

export function putUp(sections) {
  replace(document.getElementById('main'), sections);
}

// What is gone to stands below the header, however high that is.
function keepClear() {
  const header = document.querySelector('header');
  const set = () => root.style.setProperty('--header', `${header.offsetHeight}px`);
  new ResizeObserver(set).observe(header);
  set();
}

// Once the sections stand in the page and are drawn.
// follow(hash): goes to what an address names that only this page knows; gives its element, or null.
export function startShell({ sections, names, find, search, showFunction, follow: own = null, keys = [] }) {
  const links = sections.map((one, i) => el('a', { href: `#${one.id}`, title: `Key ${i + 1}` }, one.querySelector('h2').textContent));
  replace(document.getElementById('nav'), links);
  startFinding(names, find, search);
  help.push(...keys);
  startKeys(sections);
  keepClear();
  watchSections(sections, links);
  addEventListener('hashchange', () => follow(showFunction, own));
  if (location.hash) follow(showFunction, own);
  root.dataset.ready = String(Math.round(performance.now()));
}
