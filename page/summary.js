// The first screen: what ran and for how long, processor time against waiting, the five hottest
// functions, small pictures of the flame graph and the timeline, and the findings that weigh most.
import { el, replace, section } from './dom.js';
import { mainFindings } from './findings.js';
import { Flame } from './flame.js';
import { bytes, count, percent, time, timeWithin, times, visible } from './format.js';
import { incidents } from './incidents.js';
import { completeness, timesError } from './run.js';
import { SmallTimeline } from './timeline_small.js';

const HOTTEST = 5, FLAME_ROWS = 9;
const LETTERS = 60; // of a name; longer ones are shown without parameters and template arguments

// Was something left out while the program ran?
const limited = (model) => model.data.limits && model.data.limits.rows.length > 0;

function facts(model) {
  const { totals, run } = model;
  const started = Number(run.get('started'));
  const parts = [
    ['ran', time(totals.end_ns)], ['in', `${times(totals.threads, 'thread')}${totals.processes > 1 ? ` of ${times(totals.processes, 'process', 'processes')}` : ''}`],
    ['with', times(totals.calls, 'call')], ['of', `${count(totals.functions_called)} of ${times(totals.functions, 'function')}`],
    totals.bytes > 0 && ['allocated', `${bytes(totals.bytes)}, at most ${bytes(Number(run.get('peak_bytes') || 0))} at once`],
    totals.live_bytes > totals.kept_bytes && ['not freed', bytes(totals.live_bytes - totals.kept_bytes)], // as fisql digest says it
  ].filter(Boolean);
  return [el('p', { class: 'command' }, el('code', null, visible(String(run.get('command') || '?')))),
    el('p', { class: 'facts' }, parts.map(([word, value]) => el('span', null, `${word} `, el('strong', null, value))),
      started > 0 && el('span', { class: 'quiet' }, `${new Date(started * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`),
      totals.losses === 0 && !limited(model) && el('strong', { class: 'whole' }, '✓ The recording is complete.'))];
}

// Processor time, waiting and time put aside, over all threads, as one bar.
function spentBar(model) {
  const { totals } = model;
  const parts = [['cpu', model.foreign ? 'in calls, waiting included,' : 'on the processor', totals.cpu_ns], ['wait', 'waiting', totals.wait_ns], ['aside', 'put aside', totals.preempted_ns]]
    .filter(([kind, , ns]) => kind === 'cpu' || ns > 0);
  const whole = parts.reduce((sum, [, , ns]) => sum + ns, 0);
  const bar = el('div', { class: 'spent-bar', role: 'img', 'aria-label': parts.map(([, word, ns]) => `${time(ns)} ${word}`).join(', ') },
    parts.map(([kind, , ns]) => {
      const part = el('span', { class: kind });
      part.style.flexGrow = String(whole > 0 ? Math.max(0.002, ns / whole) : 1);
      return part;
    }));
  return el('div', { class: 'spent' }, bar, el('p', { class: 'legend' }, parts.map(([kind, word, ns]) =>
    el('span', null, el('span', { class: `box ${kind}` }), el('strong', null, time(ns)), ` ${word}${parts.length > 1 ? ` (${percent(ns, whole)})` : ''} `)), 'in recorded code, over all threads',
    timesError(model)));
}

function hottest(model, body) {
  const list = model.shown.slice().sort((a, b) => b.cpu_ns - a.cpu_ns).slice(0, HOTTEST).filter((one) => one.cpu_ns > 0);
  const most = list.length > 0 ? list[0].cpu_ns : 1;
  replace(body, list.length === 0 ? el('p', { class: 'nothing' }, 'No calls were recorded.') : list.map((one) => {
    const bar = el('span', { class: 'hot-bar' });
    bar.style.width = `${((100 * one.cpu_ns) / most).toFixed(2)}%`;
    return el('li', null, el('span', { class: 'hot-name' }, model.link(one.id, null, LETTERS)),
      el('span', { class: 'hot-figures' }, el('strong', null, percent(one.cpu_ns, model.totals.cpu_ns)), ` ${timeWithin(one.cpu_ns, one.doubt_ns)}`,
        one.waits_ns > 0 && el('span', { class: 'quiet' }, `, waits ${time(one.waits_ns)}`)), el('span', { class: 'hot-track' }, bar));
  }));
}

export class Summary {
  constructor(model) {
    const body = el('ol', { class: 'hottest' });
    hottest(model, body);
    model.onCode(() => hottest(model, body));
    this.flame = new Flame(model, { id: 'small-flame', small: FLAME_ROWS });
    this.timeline = new SmallTimeline(model);
    const head = (text, href) => el('h3', null, el('a', { href }, text));
    this.element = section('summary', 'Summary', facts(model), incidents(model), (model.totals.losses > 0 || limited(model)) && completeness(model), spentBar(model),
      el('div', { class: 'first' },
        el('div', null, head(model.foreign ? 'Functions with most time' : 'Hottest functions, by CPU time', '#functions'), body),
        el('div', null, head('Flame graph', '#flame'), this.flame.element),
        el('div', null, head('Timeline', '#timeline'), this.timeline.element),
        el('div', null, head('Findings', '#findings'), mainFindings(model))));
  }

  measure() {
    this.flame.measure();
    this.timeline.measure();
  }

  start() {
    this.flame.start();
    this.timeline.start();
  }
}
