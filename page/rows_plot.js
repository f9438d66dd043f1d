// Rows as a plot, by uPlot: one column against another, as a line, bars or points, or the histogram of one.
import uPlot from 'uplot';
import { choice, colour, el, onTheme, replace } from './dom.js';
import { bytes, count, time, visible } from './format.js';

const HEIGHT = 260, BUCKETS = 40;

function shown(name, value) {
  if (value === null || value === undefined) return '-';
  return name.endsWith('_ns') ? time(value) : name.endsWith('_bytes') ? bytes(value) : count(value);
}

export class RowsPlot {
  constructor(rows) {
    this.rows = rows;
    this.numbers = Object.keys(rows[0]).filter((name) => rows.every((row) => row[name] === null || typeof row[name] === 'number'));
    this.kind = 'none';
    this.x = '';
    this.y = this.numbers.at(-1) || '';
    this.place = el('div', { class: 'rows-plot' });
    const pick = (label, none, of) => el('select', { 'aria-label': label, onchange: (event) => { this[of] = event.target.value; this.make(); } },
      none && el('option', { value: '' }, none), this.numbers.map((name) => el('option', { value: name, selected: name === this[of] }, visible(name))));
    this.choices = el('span', { hidden: true }, pick('What is plotted', null, 'y'), ' against ', pick('Against', 'the row\u2019s number', 'x'));
    this.element = el('div', { class: 'plot', hidden: this.numbers.length === 0 }, el('p', { class: 'controls' },
      choice('Plot', [['none', 'Table'], ['line', 'Line'], ['bars', 'Bars'], ['points', 'Points'], ['histogram', 'Histogram']], 'none', (kind) => {
        this.kind = kind;
        this.choices.hidden = kind === 'none';
        this.make();
      }), ' ', this.choices), this.place);
  }

  start() {
    onTheme(() => this.make());
  }

  data() {
    const y = this.rows.map((row) => row[this.y]);
    if (this.kind === 'histogram') {
      const values = y.filter((value) => value !== null);
      const least = Math.min(...values), step = (Math.max(...values) - least) / BUCKETS || 1;
      const counts = new Array(BUCKETS).fill(0);
      for (const value of values) counts[Math.min(BUCKETS - 1, Math.floor((value - least) / step))]++;
      return [counts.map((one, i) => least + (i + 0.5) * step), counts];
    }
    if (this.x === '') return [y.map((one, i) => i + 1), y];
    const pairs = this.rows.filter((row) => row[this.x] !== null).map((row) => [row[this.x], row[this.y]]).sort((a, b) => a[0] - b[0]);
    return [pairs.map((one) => one[0]), pairs.map((one) => one[1])];
  }

  make() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
    replace(this.place);
    if (this.kind === 'none' || !this.place.isConnected || !this.y) return;
    const histogram = this.kind === 'histogram';
    const xName = histogram ? this.y : this.x, yName = histogram ? '' : this.y;
    const axis = (name) => ({ stroke: colour('quiet'), grid: { stroke: colour('line'), width: 1 }, ticks: { stroke: colour('line') },
      font: '12px system-ui, sans-serif', size: 72, values: (plot, ticks) => ticks.map((tick) => shown(name, tick)) });
    const bars = this.kind === 'bars' || histogram;
    this.plot = new uPlot({
      width: Math.max(240, this.place.clientWidth), height: HEIGHT,
      scales: { x: { time: false } },
      axes: [{ ...axis(xName), size: 30 }, axis(yName)],
      series: [{ label: xName || 'row', value: (plot, value) => shown(xName, value) },
        { label: yName || 'rows', stroke: colour('accent'), fill: bars ? colour('accent-soft') : undefined, width: this.kind === 'points' ? 0 : 1.5,
          paths: bars ? uPlot.paths.bars({ size: [0.9, 60] }) : undefined, points: { show: this.kind === 'points', size: 5 }, value: (plot, value) => shown(yName, value) }],
    }, this.data(), this.place);
  }
}
