// The page of `fisql serve`: the report's page of one run, whose timeline has all calls, with the canned queries and a
// console beside it. Which database: ?db=N.
import { el, replace } from './dom.js';
import { time, visible } from './format.js';
import { callMore } from './call_more.js';
import { SqlConsole } from './console.js';
import { diff } from './diff.js';
import { firstPicture } from './first_picture.js';
import { oneRun } from './one_run.js';
import { Queries } from './queries.js';
import { Server } from './server.js';
import { startTheme } from './shell.js';
import { Source } from './source.js';
import { lanesOf, TimelineSource } from './timeline_source.js';

const LOOK_MS = 60000; // how often a page that is seen looks for another database in the place of its own
const LIVE_MS = 2000; // the same, of a run that goes on
const STAYS = 'fisql-live-stays', SCROLLED = 'fisql-live-scrolled'; // kept from one reading of a live run to the next

const main = document.getElementById('main');
const said = (...words) => replace(main, el('p', { class: 'incomplete', role: 'alert' }, words));

function chooser(databases, db, other) {
  if (databases.length < 2) return;
  const offer = (id, label, none, chosen, go) => {
    const select = el('select', { id, 'aria-label': label, onchange: () => { location.search = go(select.value); } },
      none && el('option', { value: '', selected: chosen === null }, none),
      databases.map((one) => el('option', { value: one.db, selected: one.db === chosen }, one.name)));
    document.getElementById('theme').before(select);
  };
  offer('database', 'Database', null, db, (value) => `?db=${value}`);
  offer('compared', 'Compare it with', 'Compare with …', other, (value) => (value === '' ? `?db=${db}` : `?db=${db}&with=${value}`));
}

// A page of a run that goes on is read anew, as its ids change from state to state; it comes back to where one was.
function readAnew() {
  sessionStorage.setItem(SCROLLED, String(scrollY));
  location.reload();
}

function comeBack() {
  const top = sessionStorage.getItem(SCROLLED);
  sessionStorage.removeItem(SCROLLED);
  if (top !== null) scrollTo(0, Number(top));
}

const isBusy = () => document.hidden || (document.activeElement && /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) || document.activeElement?.id === 'sql-editor';

// Of a run that goes on: until when the page has it, and whether it is read anew by itself.
function liveNotice(own, isNew) {
  const keep = el('input', { type: 'checkbox', id: 'live-follow', checked: sessionStorage.getItem(STAYS) !== '1',
    onchange: () => sessionStorage.setItem(STAYS, keep.checked ? '0' : '1') });
  if (isNew && keep.checked && !isBusy()) readAnew();
  return [`This run goes on; here it is as it was ${time(own.end_ns)} after its start. `, isNew && el('button', { type: 'button', onclick: readAnew }, 'Read the newest state'), ' ',
    el('label', null, keep, ' read it by itself')];
}

// Says so when the database was replaced or deleted, and when the run goes on.
function watch(server, db, own) {
  const notice = el('p', { class: 'incomplete', id: 'replaced', role: 'status', hidden: true });
  main.before(notice);
  const look = async () => {
    if (document.hidden) return;
    try {
      const now = (await server.get('databases')).find((one) => one.db === db);
      const isNew = now.version !== own.version;
      notice.hidden = !isNew && !now.live;
      notice.classList.toggle('live', own.live === 1);
      if (own.live && now.version !== 0) replace(notice, liveNotice(own, isNew));
      else replace(notice, now.version === 0 ? 'The database is gone: it was moved or deleted.'
        : ['Another file has taken the place of this database. ', el('button', { type: 'button', onclick: () => location.reload() }, 'Read it')]);
    } catch (error) {
      notice.hidden = false;
      replace(notice, `${error.message[0].toUpperCase()}${error.message.slice(1)}`);
    }
  };
  if (own.live) look();
  setInterval(look, own.live ? LIVE_MS : LOOK_MS);
  document.addEventListener('visibilitychange', look);
}

// Puts the timeline's window into the address when it has come to rest.
function keepWindow(timeline) {
  let timer = null;
  timeline.moved = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { from, to, range } = timeline.view;
      const selected = range ? `/${Math.round(range.from)}-${Math.round(range.to)}` : '';
      if (timeline.laid) history.replaceState(null, '', `#timeline:${Math.round(from)}-${Math.round(to)}${selected}`);
    }, 400);
  };
}

// Where one has looked meanwhile is where the page goes on.
function keepView({ view, end }) {
  if (view.to - view.from < end && !location.hash) history.replaceState(null, '', `#timeline:${Math.round(view.from)}-${Math.round(view.to)}`);
}

class Served {
  constructor(server, whole) {
    Object.assign(this, { server, whole });
  }

  source(model) {
    return new TimelineSource(this.server, model, this.whole);
  }

  views(model, timeline) {
    this.console = new SqlConsole(this.server, model);
    this.queries = new Queries(this.server, model, (sql) => this.console.show(sql));
    this.lines = new Source(this.server, model);
    timeline.chosenMore = (call, place) => callMore(this.server, model, timeline, call, place);
    keepWindow(timeline);
    return [this.queries, this.console, this.lines];
  }

  // Addresses: #timeline:FROM-TO, #timeline:FROM-TO/FROM-TO with a range, #query:NAME?PARAMETERS, #sql:STATEMENT, #call:ID, #source:FILE:LINE
  follow(hash, timeline) {
    const [, kind, rest] = /^#(timeline|query|sql|call|source):(.*)$/s.exec(hash) || [];
    if (kind === 'timeline') {
      const [[from, to], selected] = rest.split('/').map((part) => part.split('-').map(Number));
      if (to > from) timeline.show(from, to);
      if (selected && selected[1] > selected[0]) timeline.select({ from: selected[0], to: selected[1] });
      return timeline.element;
    }
    if (kind === 'call') {
      this.goTo(Number(rest), timeline);
      return timeline.element;
    }
    if (kind === 'query') return this.queries.follow(rest);
    if (kind === 'source') return this.lines.follow(rest);
    if (kind === 'sql') return this.console.show(decodeURIComponent(rest));
    return null;
  }

  async goTo(id, timeline) {
    try {
      const call = await this.server.get(`call/${id}`);
      timeline.zoomToCall({ thread: call.thread_id, id, depth: call.depth, row: call.depth, functionId: call.function_id,
        enter_ns: call.enter_ns, duration_ns: call.raw_duration_ns });
    } catch (error) {
      replace(timeline.details, `Call ${id}: ${error.message}`);
    }
  }
}

async function start() {
  startTheme();
  const chosen = new URLSearchParams(location.search);
  const db = Number(chosen.get('db') || 0), other = chosen.has('with') ? Number(chosen.get('with')) : null;
  const server = new Server(db);
  const databases = await server.get('databases');
  const own = databases.find((one) => one.db === db);
  chooser(databases, db, other);
  if (!own) throw new Error('there is no such database');
  if (own.problem) throw new Error(own.problem);
  said(`Reading ${visible(own.name)} …`);
  if (other !== null) {
    diff(await server.get('compare', { with: other }));
    watch(server, db, own);
    return;
  }
  const collected = server.get('report', { seconds: 3600 });
  collected.catch(() => {}); // it is told where it is waited for
  const whole = await server.get('timeline', { pixels: 2000 });
  const first = await firstPicture(server, own, whole, main);
  const data = await collected;
  const lanes = own.live ? await server.get('timeline', { pixels: 2000 }) : whole; // of the state that the rest is of
  data.lanes = lanesOf(lanes);
  keepView(first);
  oneRun(data, new Served(server, lanes));
  comeBack();
  watch(server, db, own);
}

start().catch((error) => {
  said(`This page cannot be drawn: ${error.message}.`);
  throw error;
});
