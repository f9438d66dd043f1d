// Live memory over time, drawn by uPlot on the timeline's axis: the lanes' names and the plot's
// scale are of one width. Dragging over it zooms the timeline.
import uPlot from 'uplot';
import { colour, el, onTheme, replace } from './dom.js';
import { bytes, time } from './format.js';
import { objects } from './model.js';
import { gutterOf, ruler } from './timeline_draw.js';

const HEIGHT = 130;

export class MemoryPlot {
  // pick(ns): a click chooses a moment; null: nobody can say more of one
  constructor(model, zoom, end, pick = null) {
    this.zoom = zoom;
    this.pick = pick;
    this.end = end;
    const rows = objects(model.data.memory);
    this.data = [[0, ...rows.map((row) => row.end_ns)], [0, ...rows.map((row) => row.live_bytes)],
      [0, ...rows.map((row) => row.max_live_bytes)]];
    this.empty = rows.every((row) => row.max_live_bytes === 0);
    this.element = el('figure', { class: 'memory-plot' },
      el('figcaption', null, this.empty ? 'Live memory: no allocations were recorded.'
        : `Live memory, at most ${bytes(Math.max(...rows.map((row) => row.max_live_bytes)))}`));
    onTheme(() => this.make());
  }

  measure() {
    this.width = this.element.clientWidth;
  }

  start() {
    this.make();
  }

  make() {
    if (this.empty || !this.width) return;
    const range = this.plot ? [this.plot.scales.x.min, this.plot.scales.x.max] : [0, this.end];
    if (this.plot) this.plot.destroy();
    const axis = { stroke: colour('quiet'), grid: { stroke: colour('line'), width: 1 }, ticks: { stroke: colour('line') },
      font: '12px system-ui, sans-serif' };
    const holder = el('div');
    this.moment ??= el('div', { class: 'moment', 'aria-live': 'polite' });
    replace(this.element, this.element.querySelector('figcaption'), holder, this.moment);
    this.plot = new uPlot({
      width: this.width,
      height: HEIGHT,
      padding: [8, 0, 0, 0],
      cursor: { drag: { x: true, y: false, setScale: false }, y: false },
      select: { show: true },
      legend: { show: true, live: true },
      scales: { x: { time: false, auto: false, range: (plot, min, max) => [min, max] }, y: { range: (plot, min, max) => [0, Math.max(1, max * 1.05)] } },
      axes: [
        { ...axis, size: 26, splits: (plot, i, min, max) => ruler(min, max, this.width - gutterOf(this.width)), values: (plot, ticks) => ticks.map(time) },
        { ...axis, size: gutterOf(this.width), show: gutterOf(this.width) > 0, splits: (plot, i, min, max) => this.levels(max), values: (plot, ticks) => ticks.map(bytes) },
      ],
      series: [
        { label: 'time', value: (plot, value) => (value === null ? '-' : time(value)) },
        { label: 'live', stroke: colour('accent'), fill: colour('accent-soft'), width: 1.5, paths: uPlot.paths.stepped({ align: -1 }), points: { show: false }, value: (plot, value) => (value === null ? '-' : bytes(value)) },
        { label: 'most in the step', stroke: colour('warn'), width: 1, points: { show: false }, paths: uPlot.paths.stepped({ align: -1 }), value: (plot, value) => (value === null ? '-' : bytes(value)) },
      ],
      hooks: {
        setSelect: [(plot) => {
          if (plot.select.width > 3) this.zoom(plot.posToVal(plot.select.left, 'x'), plot.posToVal(plot.select.left + plot.select.width, 'x'));
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        }],
      },
    }, this.data, holder);
    this.plot.setScale('x', { min: range[0], max: range[1] });
    if (this.pick) this.pickByClick(this.plot.over);
  }

  pickByClick(over) {
    let down = 0;
    over.addEventListener('pointerdown', (event) => { down = event.clientX; });
    over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - down) <= 3) this.pick(Math.max(0, Math.round(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'))), this.moment);
    });
  }

  // Round levels of memory, four or so.
  levels(max) {
    let step = 2 ** Math.floor(Math.log2(Math.max(1, max / 3)));
    if (max / step > 5) step *= 2;
    const levels = [];
    for (let at = 0; at <= max; at += step) levels.push(at);
    return levels;
  }

  show(from, to, width) {
    if (!this.plot) return;
    if (Math.abs(width - this.width) > 1) {
      this.width = width;
      this.plot.setSize({ width, height: HEIGHT });
    }
    if (this.plot.scales.x.min !== from || this.plot.scales.x.max !== to) this.plot.setScale('x', { min: from, max: to });
  }
}
