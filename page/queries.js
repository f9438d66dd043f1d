// All canned queries, each with its parameters as a form; its rows as a table, its SQL for the console.
import { el, leftOut, replace, section } from './dom.js';
import { times, visible } from './format.js';
import { downloads, rowsTable } from './rows_table.js';

const LIMIT = 1000;

// 10us and 4K as the database has them: in nanoseconds and bytes.
const SIZES = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
const plainNumber = (text) => text.replace(/^(\d+(?:\.\d+)?)(ns|us|ms|s|K|M|G)$/, (whole, number, unit) => String(Number(number) * SIZES[unit]));

export class Queries {
  // openSql(sql): shows a statement in the console
  constructor(server, model, openSql) {
    Object.assign(this, { server, model, openSql, queries: [], asked: null, wanted: null });
    this.select = el('select', { id: 'query-name', 'aria-label': 'Query', onchange: () => this.choose(this.select.value) });
    this.form = el('form', { class: 'query-form', onsubmit: (event) => { event.preventDefault(); this.run(); } });
    this.about = el('div', { class: 'query-about' });
    this.result = el('div', { class: 'query-result', 'aria-live': 'polite' });
    this.element = section('queries', 'Queries', el('p', { class: 'controls' }, this.select), this.about, this.form, this.result);
    this.load();
  }

  async load() {
    try {
      this.queries = await this.server.get('queries');
    } catch (error) {
      replace(this.result, leftOut(error.message));
      return;
    }
    const groups = new Map();
    for (const query of this.queries) groups.set(query.group || 'Your own', [...groups.get(query.group || 'Your own') || [], query]);
    replace(this.select, [...groups].map(([group, list]) => el('optgroup', { label: visible(group) },
      list.map((one) => el('option', { value: one.name }, `${one.name}: ${visible(one.question || one.title || '')}`)))));
    if (this.wanted !== null) this.follow(this.wanted);
    else this.choose(this.queries.some((one) => one.name === 'hot-functions') ? 'hot-functions' : this.queries[0].name);
  }

  // NAME?param=value&...
  follow(rest) {
    const [name, parameters = ''] = rest.split('?');
    this.wanted = rest;
    if (this.queries.some((one) => one.name === name)) {
      this.choose(name, new URLSearchParams(parameters));
      this.run();
    }
    return this.element;
  }

  choose(name, values = new URLSearchParams()) {
    const query = this.queries.find((one) => one.name === name);
    this.query = query;
    this.select.value = name;
    const words = (part) => (part.unit || '').split('/');
    const field = (part) => {
      const id = `param-${part.name}`, value = values.get(part.name) ?? '';
      const choices = words(part).length > 1 && words(part).every((word) => /^[a-z]+$/.test(word)) ? words(part) : null;
      return el('label', { for: id, title: part.text }, el('span', null, part.name.replaceAll('_', ' ')),
        choices ? el('select', { id, name: part.name }, ['', ...choices].map((word) => el('option', { value: word, selected: word === value }, word || `(${part.value ?? '-'})`)))
          : el('input', { id, name: part.name, value, placeholder: part.value && part.value !== 'NULL' ? part.value : part.unit && part.unit !== '-' ? part.unit : '', autocomplete: 'off', spellcheck: 'false' }));
    };
    replace(this.about, el('p', null, visible(query.description || '')), query.advice && el('p', { class: 'quiet' }, visible(query.advice)));
    replace(this.form, query.params.map(field),
      el('label', { for: 'query-limit' }, el('span', null, 'rows at most'), el('input', { id: 'query-limit', name: 'limit', type: 'number', min: '1', value: values.get('limit') || String(LIMIT) })),
      el('span', { class: 'query-buttons' }, el('button', { type: 'submit', id: 'run-query' }, 'Run'), ' ',
        el('button', { type: 'button', id: 'query-sql', onclick: () => this.openSql(this.sql()) }, 'Open its SQL')));
    replace(this.result);
  }

  // The statement with the form's values in place of its parameters, as the console can run it.
  sql() {
    const values = new FormData(this.form);
    const text = this.query.sql.replace(/:([a-z_]+)\b/g, (whole, name) => {
      if (!this.query.params.some((part) => part.name === name)) return 'NULL';
      const value = plainNumber(String(values.get(name) || ''));
      return value === '' ? 'NULL' : /^-?\d+(\.\d+)?$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
    });
    return `${text.split('\n').filter((line) => !line.startsWith('-- ') && !line.startsWith('--  ')).join('\n').trim()}\n`;
  }

  async run() {
    const { query } = this;
    const values = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) if (value !== '') values.set(name, value);
    if (this.asked) this.asked.abort();
    const asked = new AbortController();
    this.asked = asked;
    const stop = el('button', { type: 'button', onclick: () => asked.abort() }, 'Stop');
    replace(this.result, el('p', { class: 'quiet' }, 'Running … ', stop));
    history.replaceState(null, '', `#query:${query.name}${values.size > 0 ? `?${values}` : ''}`);
    const parameters = { limit: values.get('limit') || 0 };
    for (const [name, value] of values) if (name !== 'limit') parameters[`p.${name}`] = value;
    const begun = performance.now();
    try {
      const { rows, notes } = await this.server.query(query.name, parameters, asked.signal);
      this.show(query, rows, notes, performance.now() - begun, Number(parameters.limit));
    } catch (error) {
      replace(this.result, leftOut(error.name === 'AbortError' ? 'Stopped.' : error.message));
    }
  }

  show(query, rows, notes, ms, limit) {
    const units = new Map(query.columns.map((column) => [column.name, column.unit]));
    this.rows = rows;
    replace(this.result, el('p', { class: 'quiet', id: 'query-status', 'data-rows': String(rows.length) },
      rows.length === 0 ? 'Nothing found. ' : `${times(rows.length, 'row')}${rows.length === limit ? ', as many as were asked for; there may be more' : ''}, ${Math.round(ms)} ms. `,
      rows.length > 0 && downloads(query.name, rows)),
    notes && leftOut(visible(notes)),
    rows.length > 0 && rowsTable(this.model, rows, { units, label: query.title || query.name }).element,
    rows.length > 0 && query.columns.length > 0 && el('details', null, el('summary', null, 'What the columns are'),
      el('dl', { class: 'columns-about' }, query.columns.map((column) => [el('dt', null, column.name), el('dd', null, visible(column.text || ''))]))));
  }
}
