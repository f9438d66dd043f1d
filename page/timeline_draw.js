// Drawing the timeline's lanes onto a canvas: above each lane how busy its thread was, below it calls
// as boxes by depth; waiting is hatched, time put aside grey, notes are flags. Only what is in view is
// drawn; boxes narrower than a pixel are drawn once a pixel.
import { fillOf } from './colours.js';
import { colour } from './dom.js';
import { time } from './format.js';
import { drawnRow, isAside } from './timeline_lanes.js';
import { fitted, fittedText } from './words.js';

export const ROW = 15; // px, a call's height
export const HEAD = 22; // px, the ruler
const NARROW = 560; // px: lanes' names stand above the lanes
const NAME = 17; // px, a name above its lane
const BUSY = 9; // px, the bar of activity

// The lanes' names, left of them.
export const gutterOf = (width) => (width < NARROW ? 0 : 136);
// A lane's own head: its bar of activity, and its name where there is no gutter.
export const headOf = (width) => BUSY + 7 + (width < NARROW ? NAME : 0);

// Round steps of time so that labels do not meet.
export function ruler(from, to, width) {
  const least = ((to - from) * 90) / Math.max(1, width);
  let step = 10 ** Math.ceil(Math.log10(Math.max(1, least)));
  if (step / 5 >= least && step >= 5) step /= 5;
  else if (step / 2 >= least && step >= 2) step /= 2;
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to && ticks.length < 200; at += step) ticks.push(at);
  return ticks;
}

export function sizeCanvas(canvas, wide, high) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(wide * ratio), height = Math.round(high * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${high}px`;
  }
  canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
}

export const inksOf = () => Object.fromEntries(['text', 'quiet', 'line', 'bad', 'panel', 'accent', 'accent-soft', 'lane', 'wait', 'aside', 'busy']
  .map((name) => [name, colour(name)]));

// Lines from the lower left to the upper right, to fill with.
export function hatching(context, ink) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const lines = tile.getContext('2d');
  lines.strokeStyle = ink;
  lines.lineWidth = 1.6;
  lines.beginPath();
  for (const at of [-3, 3, 9]) {
    lines.moveTo(at - 3, 6 + 3);
    lines.lineTo(at + 6, 0);
  }
  lines.stroke();
  return context.createPattern(tile, 'repeat');
}

export const hatchesOf = (context, inks) => ({ wait: hatching(context, inks.wait), recording: hatching(context, inks.quiet) });

// A gap: what was there becomes pale, hatched where the thread waited or wrote the recording's log, grey where it was put aside.
export function drawGap(context, inks, hatches, gap, x, y, width, height) {
  context.globalAlpha = isAside(gap) ? 0.85 : 0.72;
  context.fillStyle = isAside(gap) ? inks.aside : inks.panel;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  if (isAside(gap)) return;
  context.fillStyle = gap.recording ? hatches.recording : hatches.wait;
  context.fillRect(x, y, width, height);
  if (height > 12 && width > 3) {
    context.strokeStyle = gap.recording ? inks.quiet : inks.wait;
    context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  }
}

// Many short gaps: of the bar's height as much as they are of the time, hatched and grey as single ones are.
function drawSlot(context, inks, hatches, slot, { left, width, y, height }) {
  const wait = height * Math.min(1, slot.wait_ns / slot.wall_ns), aside = Math.min(height - wait, height * (slot.preempted_ns / slot.wall_ns));
  context.fillStyle = inks.panel;
  context.fillRect(left, y, width, wait);
  context.fillStyle = hatches.wait;
  context.fillRect(left, y, width, wait);
  context.fillStyle = inks.aside;
  context.fillRect(left, y + wait, width, aside);
}

// How busy a thread was: a bar from its start to its end, calls in it, gaps over them.
export function drawActivity(context, inks, hatches, lane, { x, left, right, y, height }) {
  const from = Math.max(left, x(lane.start)), to = Math.min(right, Math.max(x(lane.end), x(lane.start) + 1));
  if (to <= from) return;
  context.fillStyle = inks.line;
  context.fillRect(from, y, to - from, height);
  context.fillStyle = inks.busy;
  let painted = -Infinity;
  for (let i = 0; i < lane.ids.length; i++) {
    if (lane.depths[i] !== lane.base) continue;
    const start = Math.max(left, x(lane.enters[i])), end = Math.min(right, x(lane.enters[i] + lane.durations[i]));
    if (end < left || start > right || end <= painted) continue;
    context.fillRect(start, y, Math.max(0.7, end - start), height);
    painted = Math.max(start + 0.5, end);
  }
  for (const slot of lane.slots) {
    const start = Math.max(from, x(slot.start_ns)), end = Math.min(to, x(slot.start_ns + slot.wall_ns));
    if (end > start) drawSlot(context, inks, hatches, slot, { left: start, width: end - start, y, height });
  }
  for (const gap of [...lane.gaps, ...lane.recordings]) {
    const start = Math.max(left, x(gap.start_ns)), end = Math.min(right, x(gap.start_ns + gap.wall_ns));
    if (end > left && start < right && end > start) drawGap(context, inks, hatches, gap, start, y, Math.max(0.7, end - start), height);
  }
}

// view: {from, to (ns), width, height, top (px scrolled), range: {from, to} or null}
export class Painter {
  constructor(canvas, model) {
    this.canvas = canvas;
    this.model = model;
    this.context = canvas.getContext('2d');
  }

  // beside: what is drawn over the calls (timeline_marks.js), or null
  paint(view, lanes, marks, beside = null) {
    const { canvas, context } = this;
    sizeCanvas(canvas, view.width, view.height);
    this.view = view;
    this.gutter = gutterOf(view.width);
    const chains = lanes.map((lane) => lane.chain.map((i) => this.model.name(lane.functions[i])).join(' '));
    Object.assign(canvas.dataset, { from: view.from, to: view.to, threads: lanes.map((lane) => lane.thread).join(' '), chains: chains.join(';') }); // for tests and scripts
    this.scale = (view.width - this.gutter) / (view.to - view.from);
    this.inks = inksOf();
    this.hatches = hatchesOf(context, this.inks);
    context.fillStyle = this.inks.panel;
    context.fillRect(0, 0, view.width, view.height);
    context.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    context.textBaseline = 'middle';
    for (const lane of lanes) this.lane(lane, marks);
    if (beside) beside.draw(this);
    this.ruler();
    if (view.range) this.range(view.range);
  }

  x(ns) {
    return this.gutter + (ns - this.view.from) * this.scale;
  }

  ruler() {
    const { context, view, inks } = this;
    context.fillStyle = inks.panel;
    context.fillRect(0, 0, view.width, HEAD);
    context.fillStyle = inks.quiet;
    context.strokeStyle = inks.line;
    context.beginPath();
    for (const tick of ruler(view.from, view.to, view.width - this.gutter)) {
      const x = Math.round(this.x(tick)) + 0.5;
      context.moveTo(x, HEAD - 5);
      context.lineTo(x, HEAD);
      const text = time(tick);
      if (x + 3 + context.measureText(text).width < view.width) context.fillText(text, x + 3, HEAD / 2);
    }
    context.moveTo(0, HEAD + 0.5);
    context.lineTo(view.width, HEAD + 0.5);
    context.stroke();
  }

  range({ from, to }) {
    const { context, view, inks } = this;
    const left = Math.max(this.gutter, this.x(from)), right = Math.min(view.width, this.x(to));
    if (right < this.gutter || left > view.width) return;
    context.fillStyle = inks['accent-soft'];
    context.fillRect(left, 0, right - left, view.height);
    context.strokeStyle = inks.accent;
    context.strokeRect(left + 0.5, -1, Math.max(1, right - left - 1), view.height + 2);
  }

  lane(lane, marks) {
    const { context, view, inks, gutter } = this;
    const top = HEAD + lane.top - view.top;
    if (top > view.height || top + lane.height < HEAD) return;
    context.save();
    context.beginPath();
    context.rect(0, HEAD, view.width, view.height - HEAD);
    context.clip();
    context.strokeStyle = inks.line;
    context.strokeRect(-1, Math.round(top) - 0.5, view.width + 2, lane.height);
    const arrow = `${lane.collapsed ? '▸' : '▾'} `;
    const nameAt = top + (gutter > 0 ? 10 : NAME / 2 + 1);
    context.fillStyle = inks.quiet;
    context.fillText(arrow, 5, nameAt);
    context.fillStyle = inks.text;
    context.fillText(fittedText(lane.name, (gutter || view.width) - 25), 19, nameAt);
    context.beginPath();
    context.rect(gutter, HEAD, view.width - gutter, view.height - HEAD);
    context.clip();
    const body = top + headOf(view.width);
    drawActivity(context, inks, this.hatches, lane, { x: (ns) => this.x(ns), left: gutter, right: view.width, y: body - BUSY - 4, height: BUSY });
    this.slices(lane, body - 3);
    if (!lane.collapsed) {
      this.calls(lane, body, marks);
      if (marks.longest && marks.longest.thread === lane.thread) this.outline(lane, marks.longest, body, inks.bad, 2);
      if (marks.chosen && marks.chosen.thread === lane.thread) this.outline(lane, marks.chosen, body, inks.text, 2);
    }
    for (const note of [...lane.notes, ...lane.incidents || []]) this.note(note, body - BUSY - 4);
    context.restore();
  }

  // The function with most time in calls that are too short to be drawn, slice by slice: the fainter, the less time.
  slices(lane, y) {
    const { context, view } = this;
    if (lane.whole) return;
    for (const slice of lane.slices) {
      const left = Math.max(this.gutter, this.x(slice.start_ns)), right = Math.min(view.width, this.x(slice.start_ns + slice.wall_ns));
      if (right <= left || slice.functionId === null) continue;
      context.globalAlpha = 0.25 + 0.75 * Math.min(1, slice.short_ns / slice.wall_ns);
      context.fillStyle = fillOf(this.model, slice.functionId);
      context.fillRect(left, y, Math.max(0.5, right - left), 3);
    }
    context.globalAlpha = 1;
  }

  // Boxes, then the gaps over them, then names over both.
  calls(lane, top, marks) {
    const { context, view } = this;
    const painted = new Float64Array(lane.rows).fill(-Infinity);
    const names = [];
    for (let i = 0; i < lane.ids.length; i++) {
      const enter = lane.enters[i], duration = lane.durations[i], row = lane.rowOf[i];
      if (enter > view.to) break;
      if (row < lane.fold || enter + duration < view.from) continue;
      const left = Math.max(this.gutter, this.x(enter)), right = Math.min(view.width, this.x(enter + duration));
      if (right <= painted[row]) continue;
      const width = Math.max(1, right - left);
      painted[row] = left + width - 0.5;
      const y = top + drawnRow(lane, row) * ROW;
      if (y > view.height || y + ROW < HEAD) continue;
      const same = marks.functionId === lane.functions[i];
      context.fillStyle = same ? this.inks.accent : fillOf(this.model, lane.functions[i]);
      context.fillRect(left, y, width > 3 ? width - 0.5 : width, ROW - 1);
      if (width > 22) names.push([lane.functions[i], left, y, width, same, row]);
    }
    const gaps = [...lane.gaps, ...lane.recordings];
    const rows = new Set(gaps.map((gap) => gap.row));
    for (const gap of gaps) this.gap(lane, gap, top);
    for (const [id, left, y, width, same, row] of names) {
      const edge = !same && rows.has(row);
      const name = lane.fold > 0 && row === lane.fold ? `${this.model.name(lane.functions[lane.chain[0]])} … ${this.model.name(id)}` : this.model.name(id);
      this.text(name, left + 4, y + ROW / 2, width - 8, same ? this.inks.panel : this.inks.text, edge);
    }
  }

  gap(lane, gap, top) {
    const left = Math.max(this.gutter, this.x(gap.start_ns)), right = Math.min(this.view.width, this.x(gap.start_ns + gap.wall_ns));
    if (right < this.gutter || left > this.view.width) return;
    drawGap(this.context, this.inks, this.hatches, gap, left, top + drawnRow(lane, gap.row) * ROW, Math.max(1, right - left), ROW - 1);
  }

  outline(lane, call, top, ink, thickness) {
    const { context } = this;
    const left = this.x(call.enter_ns);
    context.strokeStyle = ink;
    context.lineWidth = thickness;
    context.strokeRect(left, top + drawnRow(lane, call.row) * ROW, Math.max(2, call.duration_ns * this.scale), ROW - 1);
    context.lineWidth = 1;
  }

  note(note, y) {
    const { context, inks } = this;
    const x = this.x(note.ns);
    if (x < this.gutter || x > this.view.width) return;
    context.fillStyle = note.bad ? inks.bad : inks.accent;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 11, y + 4);
    context.lineTo(x, y + 8);
    context.fill();
    context.fillRect(x - 0.5, y, 1.5, 16);
  }

  // A function's name, with an edge around its letters where it may stand on hatching.
  text(name, x, y, width, ink, edge) {
    const shown = fitted(name, width);
    if (!shown) return;
    const { context } = this;
    if (edge) {
      context.strokeStyle = this.inks.panel;
      context.lineWidth = 3;
      context.lineJoin = 'round';
      context.strokeText(shown, x, y);
      context.lineWidth = 1;
    }
    context.fillStyle = ink;
    context.fillText(shown, x, y);
  }
}
