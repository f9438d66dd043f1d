// Rows of a query or a statement, [{column: value, ...}, ...], as a table that is sorted and searched, and as files.
import { el } from './dom.js';
import { byUnit, visible } from './format.js';
import { Table } from './table.js';

// units: of columns, by name; calls: columns of call ids, which lead to the timeline
export function rowsTable(model, rows, { units = new Map(), label }) {
  const names = rows.length > 0 ? Object.keys(rows[0]) : [];
  const shown = names.filter((name) => !(name.startsWith('full_') && names.includes(name.slice(5))));
  const isNumber = (name) => rows.every((row) => row[name] === null || typeof row[name] === 'number') && rows.some((row) => row[name] !== null);
  const cell = (name, row) => {
    const value = row[name];
    if (value === null) return '-';
    const known = typeof value === 'string' && units.get(name) !== 'stack' ? model.functionNamed(value) : null;
    if (known && /function|caller|callee|owner|allocat|freed_by/.test(name)) return model.link(known.id);
    if (typeof value === 'number' && /(^|_)call$|call_id$/.test(name) && value > 0) return el('a', { href: `#call:${value}`, title: 'Show it in the timeline' }, String(value));
    return byUnit(value, units.get(name) || (name.endsWith('_ns') ? 'ns' : name.endsWith('_bytes') ? 'bytes' : /(^|_)id$/.test(name) ? 'id' : ''), model.hooksNs);
  };
  return new Table({
    label, rows, page: 100, search: 'Search in these rows', sort: null,
    columns: shown.map((name) => ({ key: name, label: visible(name.replaceAll('_', ' ')), number: isNumber(name), show: (row) => cell(name, row),
      text: (row) => String(row[name] ?? '') })),
  });
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el('a', { href: address });
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const quoted = (value) => (value === null ? '' : /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

export function downloads(name, rows) {
  const names = rows.length > 0 ? Object.keys(rows[0]) : [];
  const csv = () => [names.map(quoted).join(','), ...rows.map((row) => names.map((one) => quoted(row[one])).join(','))].join('\r\n') + '\r\n';
  return el('span', { class: 'downloads' }, el('button', { type: 'button', onclick: () => download(`${name}.csv`, 'text/csv', csv()) }, 'CSV'), ' ',
    el('button', { type: 'button', onclick: () => download(`${name}.json`, 'application/json', JSON.stringify(rows, null, 1)) }, 'JSON'));
}
