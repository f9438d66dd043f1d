// An object's lane in the timeline: what `fisql history` knows of what a chosen call was passed, on the timeline's axis, with
// what changed it, and what used it when it was gone; and the same as a list.
import { el, leftOut, replace } from './dom.js';
import { time, times, visible } from './format.js';
import { gutterOf, inksOf, sizeCanvas } from './timeline_draw.js';
import { fittedText } from './words.js';

const HIGH = 34; // px
const ROWS_MAX = 2000; // that are asked for
const LISTED_MAX = 200;

// Which colour, and how high of the lane; what is drawn later lies over the rest.
const KINDS = [
  { word: 'passed', ink: 'busy', share: 0.4, has: () => true },
  { word: 'allocated or freed', ink: 'quiet', share: 1, has: (one) => one.what === 'allocated' || one.what === 'freed' },
  { word: 'changed', ink: 'accent', share: 0.7, has: (one) => one.changes },
  { word: 'used when it was gone', ink: 'bad', share: 1, has: (one) => one.stale },
];
const kindOf = (moment) => KINDS.findLastIndex((kind) => kind.has(moment));

class ObjectLane {
  constructor(timeline, name, moments) {
    Object.assign(this, { timeline, name, moments });
    this.canvas = el('canvas', { class: 'object-canvas', role: 'img', 'aria-label': `When ${name} was used: the list below says the same` });
    this.kinds = moments.map(kindOf);
    const seen = KINDS.filter((kind, i) => this.kinds.includes(i));
    const inks = inksOf();
    this.element = el('figure', { class: 'object-lane' },
      el('figcaption', null, `History of ${name}: ${times(moments.length, 'moment')}. `,
        seen.map((kind) => [this.sample(inks[kind.ink]), `${kind.word} `]),
        el('button', { type: 'button', onclick: () => timeline.showObject(null) }, 'Close')),
      this.canvas, this.list());
  }

  sample(ink) {
    const canvas = el('canvas', { width: '10', height: '10', 'aria-hidden': 'true' });
    const context = canvas.getContext('2d');
    context.fillStyle = ink;
    context.fillRect(0, 0, 10, 10);
    return canvas;
  }

  list() {
    const last = this.moments.slice(-LISTED_MAX);
    const line = (one) => el('li', { class: one.stale && 'wrong' },
      el('button', { type: 'button', onclick: () => this.goTo(one) }, time(one.ns)), ` ${one.changes ? '* ' : ''}${visible(one.text)}`,
      one.caller && `, called by ${visible(one.caller)}`, one.thread && `, ${visible(one.thread)}`,
      one.holds.length > 0 && `, holding ${visible(one.holds.join(', '))}`);
    return el('details', null, el('summary', null, 'What happened'), el('ol', { class: 'events' }, last.map(line)),
      this.moments.length > last.length && leftOut(`Listed are the last ${LISTED_MAX}.`),
      this.moments.length === ROWS_MAX && leftOut('There may be more: fisql history shows all.'));
  }

  goTo(moment) {
    if (moment.call > 0) location.hash = `#call:${moment.call}`;
    else this.timeline.show(moment.ns - this.timeline.end / 400, moment.ns + this.timeline.end / 400);
  }

  paint({ from, to, width }) {
    sizeCanvas(this.canvas, width, HIGH);
    const context = this.canvas.getContext('2d'), inks = inksOf(), gutter = gutterOf(width);
    const x = (ns) => gutter + ((ns - from) / (to - from)) * (width - gutter);
    context.clearRect(0, 0, width, HIGH);
    context.strokeStyle = inks.line;
    context.strokeRect(gutter + 0.5, 0.5, width - gutter - 1, HIGH - 1);
    if (gutter > 0) {
      context.fillStyle = inks.text;
      context.font = '12px system-ui, sans-serif';
      context.fillText(fittedText(this.name, gutter - 8), 4, HIGH / 2 + 4);
    }
    let drawn = 0;
    KINDS.forEach((kind, number) => {
      context.fillStyle = inks[kind.ink];
      this.moments.forEach((one, i) => {
        if (this.kinds[i] !== number || one.ns < from || one.ns > to) return;
        const high = HIGH * kind.share;
        context.fillRect(x(one.ns) - 1, HIGH - high, 2, high);
        drawn++;
      });
    });
    this.canvas.dataset.drawn = String(drawn); // for tests and scripts
  }
}

// Buttons for what a call was passed, of those arguments that are addresses.
export function objectButtons(server, timeline, call) {
  const pointers = call.arguments.filter((one) => /^0x[0-9a-f]+$/.test(one.text || ''));
  const show = async (name, place) => {
    try {
      timeline.showObject(new ObjectLane(timeline, name, await server.get('history', { call: call.id, argument: name, last: ROWS_MAX })));
    } catch (error) {
      replace(place, leftOut(`The history of ${name}: ${error.message}`));
    }
  };
  const said = el('span');
  return pointers.length > 0 && el('span', { class: 'objects' }, ' History of ', pointers.map((one) =>
    el('button', { type: 'button', 'data-argument': one.parameter, title: 'What happened to what it points to', onclick: () => show(one.parameter, said) }, visible(one.parameter))), said);
}
