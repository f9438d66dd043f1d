// The timeline alone, drawn while the rest of the run's data is still being collected: of a large database that takes
// seconds, a window of the timeline some milliseconds.
import { el, replace } from './dom.js';
import { Model } from './model.js';
import { Timeline } from './timeline.js';
import { lanesOf, TimelineSource } from './timeline_source.js';

const none = { columns: [], rows: [], left_out: 0 };
const PARTS = ['modules', 'functions', 'own', 'edges', 'call_values', 'slowest', 'notes', 'gaps', 'short_gaps', 'recording', 'pauses', 'memory', 'module_names',
  'function_modules'];
const THREADS = 'SELECT id, process_id, tid, name, start_ns, end_ns, calls, self_ns, wait_ns, preempted_ns FROM threads ORDER BY calls DESC LIMIT 1000';

const table = (rows) => ({ columns: Object.keys(rows[0] || {}), rows: rows.map((row) => Object.values(row)), left_out: 0 });

// As much of the report's data as the timeline needs.
function dataOf(database, threads, whole) {
  const data = Object.fromEntries(PARTS.map((part) => [part, none]));
  const totals = { processes: 1, threads: threads.length, calls: database.calls, end_ns: database.end_ns, self_ns: 0, wait_ns: 0, preempted_ns: 0 };
  return { ...data, run: { columns: ['key', 'value'], rows: [['command', database.command]] }, totals: table([totals]), threads: table(threads), files: [], sites: [],
    names: whole.functions.map(([id, name, own]) => [id, name, null, null, null, own, null]), frames: { columns: ['id'], rows: [] }, slot_ns: 1, lanes: lanesOf(whole) };
}

export async function firstPicture(server, database, whole, place) {
  const { rows: threads } = await server.sql(THREADS, { limit: 1000, seconds: 5 });
  const model = new Model(dataOf(database, threads, whole));
  const timeline = new Timeline(model, { source: new TimelineSource(server, model, whole) });
  timeline.memory.element.remove();
  replace(place, el('p', { class: 'quiet', role: 'status' }, 'All calls are here; what matters of the run is being collected \u2026'), timeline.element);
  const asked = /^#timeline:(\d+)-(\d+)/.exec(location.hash);
  if (asked) timeline.show(Number(asked[1]), Number(asked[2]));
  timeline.measure();
  timeline.start();
  document.documentElement.dataset.first = String(Math.round(performance.now()));
  return timeline;
}
