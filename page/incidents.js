// What went wrong in the run, a line each: its kind, what is known of it, the function, and where.
import { count, time, times, visible } from './format.js';
import { el, leftOut } from './dom.js';
import { objects } from './model.js';

const SHOWN = 5;

export function incidents(model) {
  const all = objects(model.data.incidents);
  const number = all.length + model.data.incidents.left_out;
  if (number === 0) return null;
  return el('div', { class: 'incomplete incidents' },
    el('p', null, el('strong', null, times(number, 'incident'))),
    el('ul', null, all.slice(0, SHOWN).map((one) => el('li', null, `${one.kind}: `, visible(one.message),
      one.function_id !== null && [', in ', model.link(one.function_id)], one.location !== null && ` at ${visible(one.location)}`,
      el('span', { class: 'quiet' }, `, ${time(one.ns)} after the start, in process ${one.pid}, thread ${one.tid} ${visible(one.thread || '')}`)))),
    number > SHOWN && leftOut(`${count(number - SHOWN)} more.`),
    el('p', { class: 'quiet' }, el('code', null, 'fisql query incidents'), ' has the stack of each, and the block of memory that it is about; the '
      + 'tables incident_frames and incident_details have the stacks of all threads.'));
}
