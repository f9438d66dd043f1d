// A source file, as it lies on the server's disk, with facts beside its lines: the calls made from there, their time,
// what was allocated. A map in the margin shows where the time is. A function's machine code can be opened beside it.
import { el, leftOut, replace, section } from './dom.js';
import { bytes, count, time, times, visible } from './format.js';

const MAP_HEIGHT = 300; // px

export class Source {
  constructor(server, model) {
    Object.assign(this, { server, model, file: null });
    this.files = el('select', { id: 'source-file', 'aria-label': 'Source file', onchange: () => { location.hash = `#source:${this.files.value}`; } },
      el('option', { value: '' }, 'Choose a file'),
      [...model.files].map(([id, path]) => [id, path]).sort((a, b) => (a[1] < b[1] ? -1 : 1)).map(([id, path]) => el('option', { value: id }, path)));
    this.body = el('div', { class: 'source', 'aria-live': 'polite' });
    this.code = el('div', { class: 'source-code', hidden: true, 'aria-live': 'polite' });
    this.element = section('source', 'Source', el('p', { class: 'controls' }, this.files), this.body);
  }

  // FILE or FILE:LINE
  follow(rest) {
    const [file, line] = rest.split(':').map(Number);
    this.show(file, line || 0);
    return this.element;
  }

  async show(file, line) {
    try {
      if (this.file === null || this.file.file !== file) {
        this.file = await this.server.get('source', { file });
        this.code.hidden = true;
      }
      this.files.value = String(file);
      this.draw(line);
    } catch (error) {
      replace(this.body, leftOut(error.message));
    }
  }

  // By line: what was called from there, allocated there, and which functions begin there.
  facts() {
    const facts = new Map();
    const at = (line) => facts.get(line) || facts.set(line, { calls: null, allocs: null, functions: [] }).get(line);
    for (const one of this.file.calls) at(one.line).calls = one;
    for (const one of this.file.allocs) at(one.line).allocs = one;
    for (const one of this.file.functions) at(one.line).functions.push(one);
    return facts;
  }

  draw(line) {
    const { file } = this;
    const facts = this.facts();
    const said = file.state === 'changed' ? 'This is not the file that was compiled, or it was changed after the recording began: its lines may not be those that ran.'
      : file.state === 'missing' ? `The file cannot be shown: ${file.problem}. Facts by line:` : null;
    const lines = file.text === null ? [] : file.text.split('\n');
    const numbers = file.text === null ? [...facts.keys()].sort((a, b) => a - b) : lines.map((text, i) => i + 1);
    const most = Math.max(1, ...[...facts.values()].map((one) => (one.calls ? one.calls.total_ns : 0)));
    const rows = numbers.map((number) => this.row(number, lines[number - 1] ?? '', facts.get(number), most));
    replace(this.body, el('p', { class: 'quiet' }, visible(file.path)), said && leftOut(said),
      el('div', { class: 'source-columns' }, el('div', { class: 'scroll source-lines' }, el('table', null,
        el('thead', null, el('tr', null, ['Calls', 'Time in them', 'Allocated', 'Line', ''].map((one, i) => el('th', { scope: 'col', class: i < 4 && 'number' }, one)))),
        el('tbody', null, rows))), numbers.length > 0 && this.map(facts, numbers.at(-1), most), this.code));
    const row = line > 0 && rows[numbers.findIndex((one) => one >= line)];
    if (row) {
      row.classList.add('chosen');
      row.scrollIntoView({ block: 'center' });
    }
  }

  row(number, text, fact, most) {
    const calls = fact && fact.calls, allocs = fact && fact.allocs;
    const cell = (value, title) => el('td', { class: 'number', title }, value);
    const row = el('tr', { id: `line-${number}` }, cell(calls ? count(calls.calls) : '', calls && `calls of ${JSON.parse(calls.callees).join(', ')}`),
      cell(calls ? time(calls.total_ns) : ''), cell(allocs ? bytes(allocs.bytes) : '', allocs && times(allocs.blocks, 'block')),
      el('td', { class: 'number quiet' }, el('a', { href: `#source:${this.file.file}:${number}` }, String(number))),
      el('td', null, el('code', null, visible(text.replaceAll('\t', '    ').replace(/\r$/, ''))),
        fact && fact.functions.map((one) => el('span', { class: 'mark' }, ' ', this.model.link(one.function_id),
          ` ${times(one.calls, 'call')}, ${time(one.self_cpu_ns)} CPU itself `,
          el('button', { type: 'button', class: 'act', 'data-code': String(one.function_id), onclick: () => this.showCode(one.function_id) }, 'machine code')))));
    if (calls) row.style.background = `color-mix(in srgb, var(--accent) ${Math.round(4 + 26 * (calls.total_ns / most))}%, transparent)`;
    return row;
  }

  async showCode(functionId) {
    this.code.hidden = false;
    replace(this.code, el('p', { class: 'quiet' }, 'Asking objdump …'));
    try {
      const { function: name, text, sites, problem } = await this.server.get('code', { function: functionId });
      const close = el('button', { type: 'button', class: 'act', onclick: () => { this.code.hidden = true; } }, 'close');
      replace(this.code, el('p', null, el('strong', null, visible(name)), ' ', close), text === null ? leftOut(`Its machine code cannot be shown: ${problem}.`)
        : el('div', { class: 'scroll source-lines' }, el('table', { class: 'code' }, el('thead', null, el('tr', null, ['Line', 'Address', 'Instruction', 'Calls'].map((one) => el('th', { scope: 'col' }, one)))),
          el('tbody', null, this.instructions(text, sites)))));
    } catch (error) {
      replace(this.code, leftOut(error.message));
    }
  }

  // What objdump -dl prints, as rows: lines of a file and its line, then those of its instructions. A call's site has
  // the address behind it.
  instructions(text, sites) {
    const bySite = new Map(sites.map((site) => [site.address, site]));
    const rows = [];
    let place = '', shown = '';
    for (const line of text.split('\n')) {
      const at = /^(\/.*):(\d+)(?: \(discriminator \d+\))?$/.exec(line), instruction = /^ *([0-9a-f]+):\t(.*)$/.exec(line);
      if (at) place = `${at[1]}:${at[2]}`;
      if (instruction) rows.push({ address: parseInt(instruction[1], 16), text: instruction[2], place });
    }
    return rows.map((row, i) => {
      const site = i + 1 < rows.length && /^(call|bl)/.test(row.text) ? bySite.get(rows[i + 1].address) : null;
      const [, path, number] = /^(.*):(\d+)$/.exec(row.place) || [null, '', ''];
      const own = path === this.file.path, isNew = row.place !== shown;
      shown = row.place;
      return el('tr', { class: isNew && 'line-begins' }, el('td', { class: 'number quiet' }, !isNew || number === '' ? '' : own
        ? el('a', { href: `#source:${this.file.file}:${number}` }, number) : `${path.slice(path.lastIndexOf('/') + 1)}:${number}`),
      el('td', { class: 'quiet' }, row.address.toString(16)), el('td', null, el('code', null, row.text.replaceAll('\t', ' '))),
      el('td', { class: 'number', title: site ? JSON.parse(site.callees).map((one) => visible(one)).join(', ') : null }, site ? count(site.calls) : ''));
    });
  }

  // Marks for the lines with time, each as far down as its line; a click goes there.
  map(facts, last, most) {
    const marks = [...facts].filter(([, fact]) => fact.calls).map(([line, fact]) => {
      const mark = el('a', { href: `#source:${this.file.file}:${line}`, title: `line ${line}: ${time(fact.calls.total_ns)}` });
      mark.style.top = `${(line / last) * (MAP_HEIGHT - 4)}px`;
      mark.style.opacity = String(0.25 + 0.75 * (fact.calls.total_ns / most));
      return mark;
    });
    return el('div', { class: 'source-map', role: 'img', 'aria-label': 'Where the time is in this file' }, marks);
  }
}
