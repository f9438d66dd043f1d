// The call tree: the contexts as an indented list that opens node by node, the dearest callee first, or in the order in which
// each was first called. A node's children are made when it opens, so that a tree of thousands costs nothing. Callees of one
// function are one node (tree.js).
import { choice, el, leftOut, replace, section } from './dom.js';
import { bytes, count, percent, time, times } from './format.js';
import { shareCell } from './table.js';
import { LEFT_OUT, metrics, wholeTree } from './tree.js';

const CHILDREN = 100; // of a node at a time
const OPENED = 20; // levels that open by themselves, where one callee takes nearly all

const orders = {
  dearest: (a, b) => metrics.cpu(b.all) - metrics.cpu(a.all) || b.all[3] - a.all[3],
  first: (a, b) => a.first - b.first,
};

export class CallTree {
  constructor(model) {
    this.model = model;
    this.order = 'dearest';
    this.list = el('ul', { class: 'call-tree', role: 'tree', 'aria-label': 'Call tree' });
    this.element = section('tree', 'Call tree',
      el('p', { class: 'controls' }, choice('Order', [['dearest', 'Dearest first'], ['first', 'In order of time']], this.order, (order) => {
        this.order = order;
        this.draw();
      })),
      el('p', { class: 'call-tree-head quiet' }, el('span', null, 'Total CPU'), el('span', null, 'Self CPU'), el('span', null, 'Calls'), el('span', null, 'Allocated')),
      this.list,
      model.data.frames.left_out > 0 && leftOut(`${times(model.data.frames.left_out, 'calling context')} with the smallest shares are left out: `
        + 'fisql tree --min-percent 0 has them.'));
    model.onCode(() => this.draw());
    this.draw();
  }

  draw() {
    this.tree = wholeTree(this.model, { thread: null, hidden: new Set(), focus: null });
    replace(this.list, this.rows(this.tree, 1));
    // Down to where the run divides.
    let node = this.tree, list = this.list;
    for (let level = 0; level < OPENED; level++) {
      const next = this.sorted(node).findIndex((one) => metrics.cpu(one.all) >= 0.9 * metrics.cpu(this.tree.all));
      const row = next >= 0 && list.children[next];
      if (!row || !row.open) break;
      row.open();
      node = row.node;
      list = row.querySelector('ul');
    }
  }

  sorted(node) {
    return [...node.children].sort((a, b) => (a.functionId === LEFT_OUT) - (b.functionId === LEFT_OUT) || orders[this.order](a, b));
  }

  // The items of a node's callees, from one on.
  rows(node, level, from = 0) {
    const children = this.sorted(node), some = children.slice(from, from + CHILDREN);
    const items = some.map((child) => this.item(child, level));
    const rest = children.length - from - some.length;
    if (rest > 0) {
      const more = el('li', { role: 'none' }, el('button', { type: 'button', class: 'more', onclick: () => {
        more.replaceWith(...this.rows(node, level, from + CHILDREN));
      } }, `${times(rest, 'more callee')}`));
      items.push(more);
    }
    return items;
  }

  item(node, level) {
    const { model } = this;
    const known = model.functionById.get(node.functionId);
    const self = node.functionId === LEFT_OUT ? 0 : metrics.cpu(node.self);
    const line = el('div', { class: 'call-tree-line', tabindex: '0', onkeydown: (event) => this.key(event, row) },
      el('span', null, shareCell(time(metrics.cpu(node.all)), metrics.cpu(node.all), metrics.cpu(this.tree.all))),
      el('span', null, self > 0 ? time(self) : ''), el('span', null, node.all[3] > 0 && node.functionId !== LEFT_OUT ? count(this.calls(node)) : ''),
      el('span', null, node.all[4] > 0 ? bytes(node.all[4]) : ''),
      el('span', { class: 'call-tree-name' },
        el('button', { type: 'button', class: 'toggle', 'aria-label': `Callees of ${model.name(node.functionId)}`, disabled: node.children.length === 0,
          tabindex: '-1', onclick: () => this.toggle(row) }, node.children.length > 0 ? '▸' : '·'),
        known ? model.link(node.functionId) : model.name(node.functionId), known && known.mark && el('span', { class: 'mark' }, ` ${known.mark}`),
        el('span', { class: 'quiet' }, ` ${percent(metrics.cpu(node.all), metrics.cpu(this.tree.all))}`)));
    const row = el('li', { role: 'treeitem', 'aria-level': String(level), 'aria-expanded': node.children.length > 0 ? 'false' : null, 'data-function': String(node.functionId) }, line);
    row.node = node;
    line.lastChild.style.paddingLeft = `${Math.min(level - 1, 60) * 16}px`;
    if (node.children.length > 0) row.open = () => this.open(row, level);
    return row;
  }

  // Of the node alone: what its callees were called is theirs.
  calls(node) {
    return node.self[3];
  }

  open(row, level) {
    if (row.querySelector('ul')) return;
    row.append(el('ul', { role: 'group' }, this.rows(row.node, level + 1)));
    row.setAttribute('aria-expanded', 'true');
    row.querySelector('.toggle').textContent = '▾';
  }

  close(row) {
    const list = row.querySelector('ul');
    if (list) list.remove();
    row.setAttribute('aria-expanded', 'false');
    row.querySelector('.toggle').textContent = '▸';
  }

  toggle(row) {
    if (!row.open) return;
    if (row.querySelector('ul')) this.close(row);
    else row.open();
  }

  // Arrows as in any tree: right opens or goes in, left closes or goes out, up and down move; Enter opens and closes.
  key(event, row) {
    const lines = [...this.list.querySelectorAll('.call-tree-line')], at = lines.indexOf(row.firstChild);
    const go = (line) => line && line.focus();
    const isOpen = Boolean(row.querySelector('ul'));
    const actions = {
      ArrowDown: () => go(lines[at + 1]),
      ArrowUp: () => go(lines[at - 1]),
      ArrowRight: () => (isOpen ? go(lines[at + 1]) : row.open && row.open()),
      ArrowLeft: () => (isOpen ? this.close(row) : row.parentElement !== this.list && go(row.parentElement.parentElement.firstChild)),
      Enter: () => this.toggle(row),
    };
    if (event.target !== row.firstChild || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
