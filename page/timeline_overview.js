// The strip above the timeline: all threads over the whole run, with a window where the timeline looks.
// Dragging the window moves it; dragging beside it opens another.
import { el } from './dom.js';
import { drawActivity, gutterOf, hatchesOf, inksOf, sizeCanvas } from './timeline_draw.js';

const HEIGHT = 36; // px

export class Overview {
  // show(from, to): looks there; view: the timeline's
  constructor(lanes, end, view, show) {
    Object.assign(this, { lanes, end, view, show, drag: null });
    this.element = el('canvas', { class: 'overview', role: 'img', 'aria-label': 'All threads over the whole run; drag to look elsewhere',
      onpointerdown: (event) => this.press(event),
      onpointermove: (event) => this.move(event),
      onpointerup: () => { this.drag = null; },
      onpointercancel: () => { this.drag = null; } });
    this.picture = document.createElement('canvas'); // of the whole run, drawn once
  }

  x(ns) {
    return this.gutter + (ns / this.end) * (this.width - this.gutter);
  }

  ns(x) {
    return Math.max(0, Math.min(1, (x - this.gutter) / (this.width - this.gutter))) * this.end;
  }

  // anew: the theme or the width is another
  paint(anew = false) {
    const { view } = this;
    const inks = inksOf();
    if (anew || this.width !== view.width) {
      this.width = view.width;
      this.gutter = gutterOf(view.width);
      this.drawWhole(inks);
    }
    sizeCanvas(this.element, this.width, HEIGHT);
    const context = this.element.getContext('2d');
    context.clearRect(0, 0, this.width, HEIGHT);
    context.drawImage(this.picture, 0, 0, this.width, HEIGHT);
    const left = this.x(view.from), right = Math.max(left + 3, this.x(view.to));
    context.fillStyle = inks['accent-soft'];
    context.fillRect(left, 0, right - left, HEIGHT);
    context.strokeStyle = inks.accent;
    context.strokeRect(left + 0.5, 0.5, right - left - 1, HEIGHT - 1);
  }

  drawWhole(inks) {
    sizeCanvas(this.picture, this.width, HEIGHT);
    const context = this.picture.getContext('2d');
    context.fillStyle = inks.panel;
    context.fillRect(0, 0, this.width, HEIGHT);
    const hatches = hatchesOf(context, inks);
    const each = (HEIGHT - 4) / Math.max(1, this.lanes.length);
    this.lanes.forEach((lane, i) => drawActivity(context, inks, hatches, lane, { x: (ns) => this.x(ns), left: this.gutter, right: this.width,
      y: 2 + i * each, height: Math.max(1, Math.min(10, each - (each > 3 ? 1 : 0))) }));
    if (this.gutter > 0) {
      context.fillStyle = inks.quiet;
      context.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
      context.textBaseline = 'middle';
      context.fillText('Whole run', 6, HEIGHT / 2);
    }
  }

  press(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    const x = event.clientX - this.element.getBoundingClientRect().left;
    const at = this.ns(x);
    const whole = this.view.to - this.view.from >= this.end * 0.999;
    this.drag = { x, at, inside: !whole && at >= this.view.from && at <= this.view.to, from: this.view.from, to: this.view.to };
  }

  move(event) {
    if (!this.drag) return;
    const x = event.clientX - this.element.getBoundingClientRect().left;
    const at = this.ns(x), { drag } = this;
    if (drag.inside) this.show(drag.from + at - drag.at, drag.to + at - drag.at);
    else if (Math.abs(x - drag.x) > 3) this.show(Math.min(drag.at, at), Math.max(drag.at, at));
  }
}
