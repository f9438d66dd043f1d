// A console for SQL: an editor with completion, the schema beside it, rows as a table or as a plot. Statements are kept
// in the browser.
import { el, leftOut, replace, section } from './dom.js';
import { times, visible } from './format.js';
import { makeEditor } from './editor.js';
import { RowsPlot } from './rows_plot.js';
import { downloads, rowsTable } from './rows_table.js';

const KEPT_MAX = 40;
const FIRST = `SELECT f.name, s.calls, s.self_cpu_ns
FROM function_stats s JOIN functions f ON f.id = s.function_id
ORDER BY s.self_cpu_ns DESC LIMIT 20`;

function kept() {
  try {
    return JSON.parse(localStorage.getItem('fisql-sql') || '[]').filter((one) => typeof one === 'string');
  } catch {
    return [];
  }
}

function keep(sql) {
  try {
    localStorage.setItem('fisql-sql', JSON.stringify([sql, ...kept().filter((one) => one !== sql)].slice(0, KEPT_MAX)));
  } catch {
    // it is kept until the page is closed
  }
}

export class SqlConsole {
  constructor(server, model) {
    Object.assign(this, { server, model, asked: null });
    this.holder = el('div', { class: 'editor', id: 'sql-editor' });
    this.editor = makeEditor(this.holder, { text: kept()[0] || FIRST, run: () => this.run(), names: model.functions.map((one) => one.name) });
    this.limit = el('input', { type: 'number', id: 'sql-limit', min: '1', max: '100000', value: '1000' });
    this.seconds = el('input', { type: 'number', id: 'sql-seconds', min: '1', max: '3600', value: '10' });
    this.button = el('button', { type: 'button', id: 'run-sql', title: 'Ctrl+Enter', onclick: () => this.run() }, 'Run');
    this.stop = el('button', { type: 'button', id: 'stop-sql', disabled: true, onclick: () => this.asked && this.asked.abort() }, 'Stop');
    this.history = el('select', { id: 'sql-kept', 'aria-label': 'Statements that you ran', onchange: () => { if (this.history.value !== '') this.editor.set(kept()[Number(this.history.value)]); } });
    this.tables = el('div', { class: 'schema' });
    this.result = el('div', { class: 'sql-result', 'aria-live': 'polite' });
    this.element = section('sql', 'Console', el('div', { class: 'console' }, el('div', { class: 'console-main' }, this.holder,
      el('p', { class: 'controls' }, this.button, this.stop, el('label', null, 'rows at most ', this.limit), el('label', null, 'seconds at most ', this.seconds), this.history),
      this.result), this.tables));
    this.remember();
    this.loadSchema();
  }

  remember() {
    replace(this.history, el('option', { value: '' }, 'Statements that you ran'), kept().map((sql, i) => el('option', { value: i }, sql.replace(/\s+/g, ' ').slice(0, 80))));
  }

  async loadSchema() {
    try {
      const tables = await this.server.get('schema');
      this.editor.complete(Object.fromEntries(tables.map((table) => [table.name, table.columns.map((column) => column.name)])));
      const comment = (table) => (/^CREATE (?:TABLE|VIEW) \S+ *(?:\( *)?(?:AS *)?-- *(.*)$/m.exec(table.sql) || [])[1] || '';
      const entry = (table) => el('details', null, el('summary', { title: visible(comment(table)) }, table.name),
        el('pre', null, visible(table.sql).replaceAll('<U+000A>', '\n')));
      replace(this.tables, el('h3', null, 'Tables'), tables.filter((one) => one.type === 'table').map(entry), el('h3', null, 'Views'),
        tables.filter((one) => one.type === 'view').map(entry));
    } catch (error) {
      replace(this.tables, leftOut(error.message));
    }
  }

  // Puts a statement there, and gives the section's element.
  show(sql) {
    this.editor.set(sql);
    this.element.scrollIntoView();
    return this.element;
  }

  async run() {
    const sql = this.editor.get().trim();
    if (this.asked) this.asked.abort();
    const asked = new AbortController();
    this.asked = asked;
    this.stop.disabled = false;
    replace(this.result, el('p', { class: 'quiet' }, 'Running …'));
    history.replaceState(null, '', `#sql:${encodeURIComponent(sql)}`);
    const begun = performance.now();
    try {
      const answer = await this.server.sql(sql, { limit: Number(this.limit.value), seconds: Number(this.seconds.value), signal: asked.signal });
      keep(sql);
      this.remember();
      this.showRows(answer, performance.now() - begun);
    } catch (error) {
      replace(this.result, el('p', { class: 'incomplete', id: 'sql-status' }, error.name === 'AbortError' ? 'Stopped.' : visible(error.message)));
    }
    if (this.asked === asked) {
      this.asked = null;
      this.stop.disabled = true;
    }
  }

  showRows({ rows, end, left_out: left }, ms) {
    const table = rows.length > 0 && rowsTable(this.model, rows, { label: 'Rows' }).element;
    const plot = rows.length > 1 ? new RowsPlot(rows) : null;
    replace(this.result, el('p', { class: 'quiet', id: 'sql-status', 'data-rows': String(rows.length) },
      `${times(rows.length, 'row')}${left > 0 ? `, ${left}${end === 'done' ? '' : ' or more'} left out` : ''}${end === 'late' ? ', stopped at its time' : ''}, ${Math.round(ms)} ms. `,
      rows.length > 0 && downloads('rows', rows)), plot && plot.element, table);
    if (plot) plot.start();
  }
}
