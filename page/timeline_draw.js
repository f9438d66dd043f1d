// Drawing the timeline's lanes onto a canvas: calls as boxes by depth, waits for locks outlined,
// notes as flags. Only what is in view is drawn; boxes narrower than a pixel are drawn once a pixel.
import { fillOf } from './colours.js';
import { colour } from './dom.js';
import { time } from './format.js';

export const ROW = 15; // px, a call's height
export const GUTTER = 118; // px, the lanes' names
export const HEAD = 22; // px, the ruler
export const GAP = 22; // px, a lane's own head

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

// view: {from, to (ns), width, height, top (px scrolled)}
export class Painter {
  constructor(canvas, model) {
    this.canvas = canvas;
    this.model = model;
    this.context = canvas.getContext('2d');
  }

  paint(view, lanes, marks) {
    const ratio = window.devicePixelRatio || 1;
    const { canvas, context } = this;
    const width = Math.round(view.width * ratio), height = Math.round(view.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${view.width}px`;
      canvas.style.height = `${view.height}px`;
    }
    this.view = view;
    Object.assign(canvas.dataset, { from: view.from, to: view.to }); // for tests and scripts
    this.scale = (view.width - GUTTER) / (view.to - view.from);
    this.inks = { text: colour('text'), quiet: colour('quiet'), line: colour('line'), bad: colour('bad'),
      back: colour('panel'), accent: colour('accent'), lane: colour('lane') };
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.inks.back;
    context.fillRect(0, 0, view.width, view.height);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const lane of lanes) this.lane(lane, marks);
    this.ruler();
  }

  x(ns) {
    return GUTTER + (ns - this.view.from) * this.scale;
  }

  ruler() {
    const { context, view, inks } = this;
    context.fillStyle = inks.back;
    context.fillRect(0, 0, view.width, HEAD);
    context.fillStyle = inks.quiet;
    context.strokeStyle = inks.line;
    context.beginPath();
    for (const tick of ruler(view.from, view.to, view.width - GUTTER)) {
      const x = Math.round(this.x(tick)) + 0.5;
      context.moveTo(x, HEAD - 5);
      context.lineTo(x, HEAD);
      const text = time(tick);
      if (x + context.measureText(text).width < view.width) context.fillText(text, x + 3, HEAD / 2);
    }
    context.moveTo(0, HEAD + 0.5);
    context.lineTo(view.width, HEAD + 0.5);
    context.stroke();
  }

  lane(lane, marks) {
    const { context, view, inks } = this;
    const top = HEAD + lane.top - view.top;
    if (top > view.height || top + lane.height < HEAD) return;
    context.save();
    context.beginPath();
    context.rect(0, HEAD, view.width, view.height - HEAD);
    context.clip();
    context.strokeStyle = inks.line;
    context.strokeRect(-1, Math.round(top) - 0.5, view.width + 2, lane.height);
    this.clipText(lane.name, 6, top + GAP / 2, GUTTER - 12, inks.text);
    context.fillStyle = inks.lane;
    context.fillRect(this.x(lane.start), top + 2, (lane.end - lane.start) * this.scale, 3);
    context.beginPath();
    context.rect(GUTTER, HEAD, view.width - GUTTER, view.height - HEAD);
    context.clip();
    this.calls(lane, top + GAP, marks);
    const first = top + GAP - lane.base * ROW; // where depth 0 would be
    for (const wait of lane.waits) this.wait(wait, first);
    for (const note of lane.notes) this.note(note, top + 4);
    if (marks.longest && marks.longest.thread === lane.thread) this.outline(marks.longest, first, inks.bad, 2);
    if (marks.chosen && marks.chosen.thread === lane.thread) this.outline(marks.chosen, first, inks.text, 2);
    context.restore();
  }

  calls(lane, top, marks) {
    const { context, view } = this;
    const painted = new Float64Array(lane.rows).fill(-Infinity);
    for (let i = 0; i < lane.ids.length; i++) {
      const enter = lane.enters[i], duration = lane.durations[i];
      if (enter > view.to) break;
      if (enter + duration < view.from) continue;
      const row = lane.depths[i];
      const left = Math.max(GUTTER, this.x(enter)), right = Math.min(view.width, this.x(enter + duration));
      if (right <= painted[row]) continue;
      const width = Math.max(1, right - left);
      painted[row] = left + width - 0.5;
      const y = top + row * ROW;
      if (y > view.height || y + ROW < HEAD) continue;
      const same = marks.functionId === lane.functions[i];
      context.fillStyle = same ? this.inks.accent : fillOf(this.model, lane.functions[i]);
      context.fillRect(left, y, width > 3 ? width - 0.5 : width, ROW - 1);
      if (width > 28) {
        this.clipText(this.model.name(lane.functions[i]), left + 4, y + ROW / 2, width - 8,
          same ? this.inks.back : this.inks.text);
      }
    }
  }

  outline(call, top, ink, thickness) {
    const { context } = this;
    const left = this.x(call.enter_ns);
    context.strokeStyle = ink;
    context.lineWidth = thickness;
    context.strokeRect(left, top + call.depth * ROW, Math.max(2, call.duration_ns * this.scale), ROW - 1);
    context.lineWidth = 1;
  }

  wait(wait, top) {
    const { context, inks } = this;
    const left = this.x(wait.enter_ns), width = Math.max(2, wait.duration_ns * this.scale);
    if (left > this.view.width || left + width < GUTTER) return;
    const y = top + wait.depth * ROW;
    context.fillStyle = inks.bad;
    context.fillRect(left, y + ROW - 4, width, 3);
    context.strokeStyle = inks.bad;
    context.strokeRect(left, y + 0.5, width, ROW - 2);
  }

  note(note, y) {
    const { context, inks } = this;
    const x = this.x(note.ns);
    if (x < GUTTER || x > this.view.width) return;
    context.fillStyle = inks.accent;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 11, y + 4);
    context.lineTo(x, y + 8);
    context.fill();
    context.fillRect(x - 0.5, y, 1.5, 16);
  }

  clipText(text, x, y, width, ink) {
    const { context } = this;
    let shown = text;
    const each = 6.5; // px a letter, about
    if (shown.length * each > width) shown = shown.slice(0, Math.max(1, Math.floor(width / each) - 1)) + '…';
    context.fillStyle = ink;
    context.fillText(shown, x, y, width);
  }
}
