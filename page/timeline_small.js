// The timeline of the first screen: the threads with the most calls, a bar of activity and a few rows
// of calls each. A click leads to the timeline.
import { fillOf } from './colours.js';
import { el, onTheme } from './dom.js';
import { times } from './format.js';
import { drawActivity, hatchesOf, inksOf, sizeCanvas } from './timeline_draw.js';
import { readLanes } from './timeline_lanes.js';
import { fittedText } from './words.js';

const LANES = 6, HEIGHT_MOST = 150, BAR = 7; // px
const NARROW = 400; // px: no room for threads' names

export class SmallTimeline {
  constructor(model) {
    this.model = model;
    const { lanes } = readLanes(model);
    const busiest = lanes.slice().sort((a, b) => b.cpuNs - a.cpuNs || b.calls - a.calls).slice(0, LANES);
    this.lanes = busiest.sort((a, b) => a.start - b.start);
    this.end = Math.max(1, model.totals.end_ns, ...lanes.map((lane) => lane.end));
    this.canvas = el('canvas', { role: 'img', 'aria-label': `Timeline of ${times(this.lanes.length, 'thread')}` });
    this.element = el('a', { href: '#timeline', class: 'small-timeline' }, this.canvas,
      lanes.length > this.lanes.length && el('span', { class: 'quiet' }, `and ${times(lanes.length - this.lanes.length, 'thread')} more`));
    onTheme(() => this.paint());
    model.onCode(() => this.paint());
  }

  measure() {
    this.width = Math.max(200, this.element.clientWidth);
  }

  start() {
    new ResizeObserver(() => {
      const before = this.width;
      this.measure();
      if (this.width !== before) this.paint();
    }).observe(this.element);
    this.paint();
  }

  paint() {
    if (!this.width || this.lanes.length === 0) return;
    const { width } = this;
    const narrow = width < NARROW;
    const gutter = narrow ? 0 : 100;
    const each = Math.min(34, Math.max(18, HEIGHT_MOST / this.lanes.length));
    const high = Math.ceil(this.lanes.length * each);
    sizeCanvas(this.canvas, width, high);
    const context = this.canvas.getContext('2d');
    const inks = inksOf();
    const hatches = hatchesOf(context, inks);
    context.clearRect(0, 0, width, high);
    context.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    context.textBaseline = 'middle';
    const x = (ns) => gutter + (ns / this.end) * (width - gutter);
    this.lanes.forEach((lane, i) => {
      const y = i * each + 1;
      if (!narrow) {
        context.fillStyle = inks.text;
        context.fillText(fittedText(lane.name, gutter - 8), 0, y + BAR);
      }
      drawActivity(context, inks, hatches, lane, { x, left: gutter, right: width, y, height: BAR });
      this.calls(context, lane, x, y + BAR + 1, each - BAR - 4);
    });
  }

  calls(context, lane, x, top, high) {
    const rows = Math.max(1, Math.min(lane.rows - lane.fold, Math.floor(high / 4)));
    const row = high / rows;
    const painted = new Float64Array(rows).fill(-Infinity);
    for (let i = 0; i < lane.ids.length; i++) {
      const at = lane.rowOf[i] - lane.fold;
      if (at < 0 || at >= rows) continue;
      const left = x(lane.enters[i]), right = x(lane.enters[i] + lane.durations[i]);
      if (right <= painted[at]) continue;
      const wide = Math.max(0.8, right - left);
      painted[at] = left + wide;
      context.fillStyle = fillOf(this.model, lane.functions[i]);
      context.fillRect(left, top + at * row, wide, row - 0.6);
    }
  }
}
