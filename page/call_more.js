// What the server knows of a chosen call: its arguments and result, the calls around it, the calls that it made.
import { el, leftOut } from './dom.js';
import { count, time, visible } from './format.js';
import { objectButtons } from './timeline_object.js';

function callLine(model, timeline, call, thread, depth) {
  const go = () => timeline.zoomToCall({ thread, id: call.id, depth, row: depth, functionId: call.function_id,
    enter_ns: call.enter_ns, duration_ns: call.raw_duration_ns });
  return el('li', null, el('button', { type: 'button', class: 'act', title: 'Zoom to this call', onclick: go }, visible(call.function)),
    ` ${time(call.raw_duration_ns)} from ${time(call.enter_ns)}, call ${call.id}`);
}

export async function callMore(server, model, timeline, chosen, place) {
  const holder = el('span', { class: 'call-more' });
  place.append(holder);
  try {
    const call = await server.get(`call/${chosen.id}`);
    if (!holder.isConnected) return;
    const list = (title, calls, depth) => calls.length > 0 && el('details', null, el('summary', null, title),
      el('ol', { class: 'events' }, calls.map((one, i) => callLine(model, timeline, one, call.thread_id, depth(i)))));
    holder.append(...[
      call.arguments.length > 0 && el('code', { class: 'call-text' }, visible(call.text)),
      el('span', null, ` ${call.ended}, ${count(call.descendants)} calls within it, ${time(call.duration_ns)} without the hooks' cost. `),
      el('a', { href: `#call:${chosen.id}` }, 'Address'),
      objectButtons(server, timeline, call),
      list('Calls around it', call.stack, (i) => i),
      list(`Its calls${call.callees.length === 500 ? ', the first 500' : ''}`, call.callees, () => call.depth + 1),
    ].filter(Boolean));
  } catch (error) {
    if (holder.isConnected) holder.append(leftOut(`More of call ${chosen.id}: ${error.message}`));
  }
}
