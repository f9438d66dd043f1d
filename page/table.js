// A table that is sorted by a click on a column's head and searched as one types. It shows some
// rows and, asked to, more, so that thousands cost nothing.
//
// On a narrow screen a table with `cards` shows each row as a card: its first column in the first
// line, the columns named by `cards` in the second, and a list to choose the order from.
//
// A column: {key, label, short: for a card, title, number: true, show: (row) => text or element, text: (row) => what
// the search looks at, value: (row) => what sorting compares}
import { el, replace } from './dom.js';
import { count } from './format.js';

const valueOf = (column, row) => (column.value ? column.value(row) : row[column.key]);

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : 1;
}

export class Table {
  // enter(row): goes to the first row, for Enter in the search
  constructor({ columns, rows, sort, descending = true, label, search, page = 50, detail, cards = null, enter = null }) {
    Object.assign(this, { columns, rows, sort, descending, page, detail, cards });
    this.shown = page;
    this.filter = '';
    this.heads = columns.map((column) => this.head(column));
    this.body = el('tbody');
    this.status = el('p', { class: 'table-status', 'aria-live': 'polite' });
    this.more = el('button', { type: 'button', class: 'more', onclick: () => this.showMore() });
    this.input = search && el('input', {
      type: 'search', placeholder: search, 'aria-label': search, spellcheck: 'false',
      oninput: () => this.find(this.input.value),
      onkeydown: (event) => {
        const [first] = event.key === 'Enter' && enter ? this.chosen() : [];
        if (first) enter(first);
      },
    });
    this.order = cards && el('select', { class: 'order', 'aria-label': 'Sorted by', onchange: () => {
      this.sort = null;
      this.sortBy(columns.find((column) => column.key === this.order.value));
    } }, columns.map((column) => el('option', { value: column.key }, `by ${column.label.toLowerCase()}`)));
    this.element = el('div', { class: cards ? 'table cards' : 'table' },
      (this.input || this.order) && el('p', { class: 'controls' }, this.input, this.order),
      el('div', { class: 'scroll' }, el('table', { 'aria-label': label },
        el('thead', null, el('tr', null, this.heads)), this.body)),
      el('p', { class: 'table-foot' }, this.more, this.status));
    this.update();
  }

  head(column) {
    const button = el('button', {
      type: 'button', title: column.title, onclick: () => this.sortBy(column),
    }, column.label);
    return el('th', { scope: 'col', class: column.number && 'number', 'data-key': column.key }, button);
  }

  sortBy(column) {
    this.descending = this.sort === column.key ? !this.descending : !!column.number;
    this.sort = column.key;
    this.shown = this.page;
    this.update();
  }

  // Returns the rows that have the text.
  find(text) {
    this.filter = text.trim().toLowerCase();
    if (this.input && this.input.value !== text) this.input.value = text;
    this.shown = this.page;
    return this.update();
  }

  showMore() {
    this.shown += 4 * this.page;
    this.update();
  }

  chosen() {
    const column = this.columns.find((one) => one.key === this.sort);
    const texts = this.columns.filter((one) => one.text);
    const found = !this.filter ? this.rows.slice() : this.rows.filter((row) =>
      texts.some((one) => one.text(row).toLowerCase().includes(this.filter)));
    if (column) {
      const turn = this.descending ? -1 : 1;
      found.sort((a, b) => {
        const left = valueOf(column, a), right = valueOf(column, b);
        const missing = (value) => value === null || value === undefined;
        return missing(left) || missing(right) ? compare(left, right) : turn * compare(left, right);
      });
    }
    return found;
  }

  update() {
    const found = this.chosen();
    this.columns.forEach((column, i) => {
      const order = column.key !== this.sort ? 'none' : this.descending ? 'descending' : 'ascending';
      this.heads[i].setAttribute('aria-sort', order);
    });
    if (this.order) this.order.value = this.sort;
    replace(this.body, found.slice(0, this.shown).map((row) => this.row(row)));
    const rest = found.length - Math.min(this.shown, found.length);
    this.more.hidden = rest === 0;
    this.more.textContent = `Show ${count(Math.min(rest, 4 * this.page))} more`;
    this.status.textContent = `${count(Math.min(this.shown, found.length))} of ${count(found.length)} rows` +
      (this.filter ? ` with "${this.filter}"` : '');
    return found;
  }

  classOf(column) {
    const place = !this.cards || column === this.columns[0] ? '' : this.cards.includes(column.key) ? 'second' : 'elsewhere';
    return [column.number && 'number', place].filter(Boolean).join(' ') || null;
  }

  row(row) {
    const cells = this.columns.map((column) =>
      el('td', { class: this.classOf(column), 'data-label': column.short ?? column.label.toLowerCase() }, column.show ? column.show(row) : row[column.key]));
    for (const cell of cells) if (this.cards && cell.textContent === '') cell.classList.add('nothing-to-say');
    const line = el('tr', null, cells);
    if (!this.detail) return line;
    const button = el('button', {
      type: 'button', class: 'expand', 'aria-expanded': 'false', title: 'Show the stack',
      onclick: () => {
        const open = button.getAttribute('aria-expanded') === 'true';
        button.setAttribute('aria-expanded', String(!open));
        if (open) line.nextSibling.remove();
        else line.after(el('tr', { class: 'detail' }, el('td', { colspan: this.columns.length }, this.detail(row))));
      },
    });
    cells[0].prepend(button);
    return line;
  }
}

// A small share of a whole as a bar behind the text.
export function shareCell(text, part, whole) {
  const cell = el('span', { class: 'share' }, text);
  const share = whole > 0 ? Math.max(0, Math.min(1, part / whole)) : 0;
  cell.style.backgroundSize = `${(100 * share).toFixed(2)}% 100%`;
  return cell;
}
