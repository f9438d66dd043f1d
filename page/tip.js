// What the pointer is at, told at once in a box beside it. One box for the whole page.
import { el, replace } from './dom.js';

let box = null;

export function showTip(event, ...children) {
  if (!box) {
    box = el('div', { id: 'tip', role: 'presentation' });
    document.body.append(box);
  }
  replace(box, children);
  box.hidden = false;
  const wide = box.offsetWidth, high = box.offsetHeight;
  const x = Math.max(4, Math.min(event.clientX + 14, innerWidth - wide - 6));
  const y = event.clientY + 18 + high > innerHeight ? Math.max(4, event.clientY - high - 10) : event.clientY + 18;
  box.style.left = `${x}px`;
  box.style.top = `${y}px`;
}

export function hideTip() {
  if (box) box.hidden = true;
}

// Lines of a tooltip: the first is its heading, the others are [label, value] or text.
export const tipLines = (heading, lines) => [el('strong', null, heading), lines.filter(Boolean).map((line) =>
  (Array.isArray(line) ? el('div', null, el('span', { class: 'quiet' }, line[0]), ' ', line[1]) : el('div', { class: 'quiet' }, line)))];
