// Making elements. Text from a run is untrusted: it only ever becomes a text node or an attribute
// of those named here, never markup, and its unseen characters are made visible.

import { visible } from './format.js';

const shownIn = new Set(['title', 'aria-label', 'name', 'placeholder']);
const svgSpace = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : shownIn.has(name) ? visible(String(value)) : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
  return element;
}

// el('a', {href: '#x', onclick: handler}, 'text', otherElement, ...)
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(svgSpace, tag), attributes, children);

export function replace(parent, ...children) {
  parent.replaceChildren();
  return fill(parent, null, children);
}

// A name that breaks, where it has to, at the ends of its words.
export const breakable = (name) => name.split(/(?<=::|[,<(_ /]|[a-z](?=[A-Z]))/).flatMap((part, i) => (i > 0 ? [document.createElement('wbr'), part] : [part]));

// A section of the page with its heading; the caller appends to it.
export function section(id, title, ...children) {
  return el('section', { id, tabindex: '-1', 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title` }, title), children);
}

// What was left out, where something was.
export const leftOut = (text) => el('p', { class: 'left-out' }, text);

// The value of a colour of the theme.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// A choice of one among few: [[value, label], ...]
export function choice(label, options, chosen, pick) {
  const buttons = options.map(([value, text]) =>
    el('button', {
      type: 'button',
      'data-value': value,
      'aria-pressed': String(value === chosen),
      onclick: () => {
        for (const other of buttons) other.setAttribute('aria-pressed', String(other === button(value)));
        pick(value);
      },
    }, text));
  const button = (value) => buttons.find((one) => one.getAttribute('data-value') === String(value));
  return el('span', { class: 'choice', role: 'group', 'aria-label': label }, buttons);
}

export const isDark = () => document.documentElement.dataset.theme === 'dark';

// Calls back when the theme changes: what is drawn takes its colours anew.
const themed = [];
export const onTheme = (callback) => themed.push(callback);
export const themeChanged = () => themed.forEach((callback) => callback());
