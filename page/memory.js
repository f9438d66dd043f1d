// Memory by stack: what was allocated, what was live at the peak, what was not freed.
import { choice, el, leftOut, section } from './dom.js';
import { bytes, count, percent, time, times, visible } from './format.js';
import { stackList } from './functions.js';
import { objects } from './model.js';
import { shareCell, Table } from './table.js';

const LINE = 42; // letters that a card's first line has room for

const views = {
  bytes: 'Allocated',
  peak_bytes: 'At the peak',
  live_bytes: 'Not freed',
};

export function memory(model) {
  const rows = objects(model.data.alloc_stacks);
  const sums = { bytes: model.totals.bytes, live_bytes: model.totals.live_bytes, peak_bytes: Number(model.run.get('peak_bytes') || 0) };
  // The function that wanted the blocks, not a wrapper such as xmalloc; the nearest own one where own code is shown alone.
  const stackOf = (row) => model.shownStack(row.wanted_frame_id);
  const functionOf = (row) => (stackOf(row).at(-1) || {}).functionId;
  const name = (row) => (row.frame_id === null ? '(outside recorded calls)' : model.name(functionOf(row)));
  const stackText = (row) => model.stack(row.frame_id).map((frame) => model.name(frame.functionId)).join(' ');
  // The nearest callers: often one function allocates for all.
  const above = (row) => stackOf(row).reverse().slice(1, 4).map((frame) => ` < ${model.name(frame.functionId)}`).join('');
  const size = (key, label, title) => ({ key, label, title, number: true, show: (row) => shareCell(row[key] ? bytes(row[key]) : '', row[key], sums[key]) });
  const columns = [
    { key: 'function', label: 'Allocated by', value: name, text: (row) => `${name(row)} ${stackText(row)}`,
      show: (row) => {
        const place = model.siteLocation(row.wanted_site_id);
        const through = row.frame_id !== row.wanted_frame_id ? ` through ${model.name(model.stack(row.frame_id).at(-1)?.functionId)}` : '';
        return [row.frame_id === null ? name(row) : model.link(functionOf(row)), el('span', { class: 'quiet' },
          el('span', { class: name(row).length + place.length > LINE && 'far' }, ` ${place}`), el('span', { class: 'above' }, through, above(row)))];
      } },
    { key: 'kind', label: 'Kind', text: (row) => row.kind, show: (row) => el('span', { class: 'tight' }, visible(row.kind)) },
    size('bytes', 'Allocated', 'Bytes asked for in all'),
    { key: 'blocks', label: 'Blocks', number: true, show: (row) => count(row.blocks) },
    size('peak_bytes', 'At the peak', 'Live when the run had the most memory in use'),
    size('live_bytes', 'Not freed', 'Not freed at the end; whether it could still be reached is not checked'),
    { key: 'live_bytes_max', label: 'Most live', number: true, show: (row) => bytes(row.live_bytes_max) },
    { key: 'max_size', label: 'Sizes', number: true, show: (row) => (row.min_size === row.max_size ? bytes(row.max_size) : `${bytes(row.min_size)} to ${bytes(row.max_size)}`) },
    { key: 'lifetime_ns', label: 'Mean life', number: true, show: (row) => (row.blocks > row.live_blocks ? time(row.lifetime_ns) : '-') },
  ];
  const table = new Table({ columns, rows, sort: 'bytes', label: 'Memory by stack', search: 'Search functions', page: 25,
    cards: ['bytes', 'blocks', 'live_bytes'],
    detail: (row) => (row.frame_id === null ? 'Allocated outside any recorded call.' : stackList(model, row.frame_id)) });
  model.onCode(() => table.update());
  const sortBy = (key) => {
    table.sort = key;
    table.descending = true;
    table.update();
  };
  const words = `${bytes(sums.bytes)} in ${times(model.totals.blocks, 'block')}; at most ${bytes(sums.peak_bytes)} live at once`
    + `${model.run.get('peak_ns') ? ` (at ${time(Number(model.run.get('peak_ns')))})` : ''}; ${bytes(sums.live_bytes)} `
    + `(${percent(sums.live_bytes, sums.bytes)}) in ${times(model.totals.live_blocks, 'block')} not freed.`;
  return section('memory', 'Memory', el('p', null, model.totals.blocks > 0 ? words : 'No allocations were recorded.'),
    rows.length > 0 && [el('p', { class: 'controls' }, choice('Most of', Object.entries(views), 'bytes', sortBy)), table.element],
    model.data.alloc_stacks.left_out > 0 && leftOut(`${times(model.data.alloc_stacks.left_out, 'stack')} that allocated the least are left out.`));
}
