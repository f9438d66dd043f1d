// What the page of fisql serve must do, tried in a real browser: node serve.mjs ADDRESS EXPECTED.json
// EXPECTED holds what the database says. Prints `ok - what` or `not ok - what` for each check.
import { readFileSync } from 'node:fs';
import { checks } from './checks.mjs';
import { Browser } from './devtools.mjs';

const [address, file, pictures] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(file, 'utf8'));
const origin = new URL(address).origin;
const { check, same } = checks('serve page');
const browser = new Browser();
const view = '(({from, to}) => [Number(from), Number(to)])(document.getElementById("timeline-canvas").dataset)';
const answers = 'Number(document.getElementById("timeline-canvas").dataset.answers || 0)';
const text = (selector) => `(document.querySelector(${JSON.stringify(selector)})?.textContent ?? '')`;

async function opened(options, hash = '', database = '') {
  const page = await browser.page(options);
  await page.open(address);
  if (database) await page.open(`${origin}/?${database}`);
  await page.until('document.documentElement.dataset.ready');
  if (hash) await page.value(`location.hash = ${JSON.stringify(hash)}`);
  await page.drawn();
  return page;
}

async function opens(page) {
  check(await page.value("Number(document.documentElement.dataset.first) <= Number(document.documentElement.dataset.ready)"), 'draws the timeline first');
  same('has its sections', ['summary', 'flame', 'tree', 'timeline', 'queries', 'sql', 'source', 'functions', 'function', 'graph', 'memory', 'findings', 'run'],
    await page.value("[...document.querySelectorAll('main > section')].map((one) => one.id)"), [await page.value(text('main')), page.problems]);
  same('the address loses its token', `${origin}/`, (await page.value('location.href')).split('#')[0]);
  same('no script can read the cookie', '', await page.value('document.cookie'));
  same('asks nobody but its server', [], page.requests.filter((one) => !one.startsWith(origin)));
  check((await page.value(text('.licences'))).includes('codemirror'), 'shows the licence of CodeMirror');
  check(await page.until("document.querySelectorAll('#flame-chart rect').length > 8"), 'draws the flame graph from the server\u2019s data');
}

async function timeline(page) {
  const settled = async (action) => {
    const before = await page.value(answers);
    await action();
    return page.until(`${answers} > ${before}`);
  };
  await page.value("location.hash = '#timeline'");
  await page.value("document.getElementById('timeline-canvas').focus()");
  check(await page.until(`${answers} > 0`), 'the timeline is answered');
  const [from, to] = await page.value(view);
  same('it shows the whole run', [0, expected.end], [from, to]);
  check((await page.value(text('#timeline'))).includes('a pixel'), 'it says which calls are too short to be drawn');
  check(await settled(async () => { for (let i = 0; i < 4; i++) await page.key('w'); }), 'w zooms in, and is answered');
  const near = await page.value(view);
  check(near[1] - near[0] < to - from, 'the window is smaller', near);
  await page.key('d');
  check((await page.value(view))[0] > near[0], 'd moves on');
  await page.key('Home');
  await page.value("document.querySelector('.memory-plot .u-over').scrollIntoView({ block: 'center' })");
  const [x, y] = await page.value("(({left, top, width, height}) => [left + width * 0.8, top + height / 2])(document.querySelector('.memory-plot .u-over').getBoundingClientRect())");
  await page.clickAt(x, y);
  check(await page.until("document.getElementById('live-at')?.dataset.bytes"), 'a click on live memory tells who held it', await page.value(text('.moment')));
  check(await page.value("document.querySelectorAll('.moment tbody tr').length > 0"), 'by stack');
  await page.value("document.getElementById('timeline-canvas').scrollIntoView({ block: 'center' })");
  await page.drawn();
  const place = await page.value("(({left, top, width}) => [left + 136 + (width - 136) * 0.3, left + 136 + (width - 136) * 0.6, top + 60])(document.getElementById('timeline-canvas').getBoundingClientRect())");
  await page.mouse('mousePressed', place[0], place[2]);
  await page.mouse('mouseMoved', place[1], place[2]);
  await page.mouse('mouseReleased', place[1], place[2]);
  check(await page.until("document.querySelector('.range-calls tbody tr')"), 'a range tells all its calls by function', await page.value(text('.range')));
  await range(page);
  await locks(page, settled);
  const call = expected.call;
  await settled(() => page.value(`location.hash = '#timeline:${call.enter_ns - 50}-${call.enter_ns + call.duration_ns + 50}'`));
  check(await page.until(`${text('#timeline')}.includes('all calls of this window')`), 'a small window has all its calls', await page.value(text('#timeline .left-out')));
  await page.value(`location.hash = '#call:${call.id}'`);
  check(await page.until(`${text('#timeline .focus')}.includes('call ${call.id}')`), 'a call has an address', await page.value(text('#timeline .focus')));
  check(await page.until("document.querySelectorAll('.call-more li').length >= 1"), 'with the calls around it');
  same('its own: as many as the database has', expected.stack, await page.value("document.querySelector('.call-more details').querySelectorAll('li').length"));
  check(await page.until("location.hash.startsWith('#timeline:')"), 'where one looks is in the address');
  const hash = await page.value('location.hash');
  const again = await opened({}, hash);
  check(await again.until(`${view}.join('-') === ${JSON.stringify(hash.slice(10))} || Math.abs(${view}[0] - ${hash.slice(10).split('-')[0]}) <= 1`), 'and leads there again', [hash, await again.value(view)]);
  same('without errors', [], again.problems);
  await again.close();
}

// The history of what a call was passed, in the other database.
async function object() {
  const page = await opened({ width: 1400 }, `#call:${expected.till.call}`, 'db=1');
  check(await page.until("document.querySelector('.objects button[data-argument=till]')"), 'object: an argument that is an address has a history', await page.value(text('#timeline .focus')));
  await page.click("document.querySelector('.objects button[data-argument=till]')");
  check(await page.until("document.querySelectorAll('.object-lane li').length > 0"), 'object: it is listed', await page.value(text('#timeline .focus')));
  same('object: each moment of it', expected.till.moments, await page.value("document.querySelectorAll('.object-lane li').length"));
  same('object: those that changed something', expected.till.changed, await page.value("[...document.querySelectorAll('.object-lane li')].filter((one) => one.textContent.includes('* ')).length"));
  await page.value("document.getElementById('timeline-canvas').focus()");
  await page.key('Home');
  check(await page.until(`document.querySelector('.object-canvas').dataset.drawn === '${expected.till.moments}'`), 'object: each has its place in the lane', await page.value("document.querySelector('.object-canvas').dataset.drawn"));
  if (pictures) await page.picture(`${pictures}/object.png`);
  for (let i = 0; i < 6; i++) await page.key('w');
  check(await page.until(`Number(document.querySelector('.object-canvas').dataset.drawn) < ${expected.till.moments}`), 'object: the lane has the timeline\u2019s window');
  await page.click("document.querySelector('.object-lane figcaption button')");
  check(await page.until("!document.querySelector('.object-lane')"), 'object: it can be closed');
  same('object: no errors', [], page.problems);
  await page.close();
}

async function range(page) {
  check(await page.until("document.querySelectorAll('#range-flame-chart rect').length > 4"), 'a range has its flame graph', await page.value(text('#range-flame')));
  check((await page.value(text('#range-flame .focus'))).startsWith('The range:'), 'which says that it is of the range', await page.value(text('#range-flame .focus')));
  check(await page.until("/^#timeline:[0-9]+-[0-9]+\\/[0-9]+-[0-9]+$/.test(location.hash)"), 'a range is in the address', await page.value('location.hash'));
  const hash = await page.value('location.hash');
  await page.value("(() => { const choice = document.getElementById('range-thread'); choice.value = '2'; choice.dispatchEvent(new Event('change')); })()");
  check(await page.until("document.getElementById('range-thread')?.value === '2' && document.querySelectorAll('#range-flame-chart rect').length > 1"), 'one thread of the range can be chosen');
  const again = await opened({}, hash);
  check(await again.until("document.querySelectorAll('#range-flame-chart rect').length > 4"), 'and leads to the range again');
  same('an address of a range: without errors', [], again.problems);
  await again.close();
}

// Of the longest wait whose holder is known: an arrow, and the way to the call that held the lock.
async function locks(page, settled) {
  const { wait } = expected;
  if (!wait) {
    check(false, 'there is a wait whose holder is known');
    return;
  }
  await settled(() => page.value(`location.hash = '#timeline:${wait.start - 1000}-${wait.start + wait.length + 1000}'`));
  check(await page.until("Number(document.getElementById('timeline-canvas').dataset.arrows) >= 1"), 'a wait for a lock has an arrow to its holder');
  const holder = `document.querySelector('.lock-waits button[data-call="${wait.holder}"]')`;
  const listed = await page.until(holder);
  check(listed, 'and is listed', await page.value(text('.lock-waits')));
  if (!listed) return;
  await page.value(`(() => { document.querySelector('.lock-waits details').open = true; ${holder}.click(); })()`);
  check(await page.until(`${text('#timeline .focus')}.includes('call ${wait.holder}')`), 'which leads to the call that held it', await page.value(text('#timeline .focus')));
}

async function source(page) {
  await page.value(`location.hash = '#source:${expected.file}:${expected.line}'`);
  check(await page.until("document.querySelector('.source-lines tr.chosen')"), 'source: a line has an address', await page.value(text('#source')));
  same('source: all its lines', expected.lines, await page.value("document.querySelectorAll('.source-lines tbody tr').length"));
  await page.value(`document.querySelector('.source [data-code="${expected.hashWord}"]').click()`);
  check(await page.until("document.querySelectorAll('.source-code tbody tr').length > 5"), 'source: a function\u2019s machine code is beside it', await page.value(text('.source-code')));
  check((await page.value(text('.source-code'))).includes('ret'), 'source: down to its return');
}

async function queries(page) {
  await page.value("location.hash = '#query:not-freed?limit=1000'");
  check(await page.until("document.getElementById('query-status')?.dataset.rows !== undefined"), 'a query has an address');
  same('its rows are the database\u2019s', expected.notFreed, Number(await page.value("document.getElementById('query-status').dataset.rows")));
  same('all queries are offered', expected.queries, await page.value("document.querySelectorAll('#query-name option').length"));
  await page.value("(() => { const choice = document.getElementById('query-name'); choice.value = 'hot-functions'; choice.dispatchEvent(new Event('change')); })()");
  await page.value("document.getElementById('param-min_calls').focus()");
  await page.type('100');
  await page.click('#run-query');
  check(await page.until("location.hash.includes('min_calls=100') && document.getElementById('query-status')?.dataset.rows"), 'a parameter is asked for, and is in the address', await page.value('location.hash'));
  same('it is kept to', expected.hot100, Number(await page.value("document.getElementById('query-status').dataset.rows")));
  await page.click("document.querySelector('#queries th[data-key=calls] button')");
  same('a click on a head sorts', expected.mostCalls, await page.value("document.querySelector('#queries tbody td').textContent.trim()"));
  await page.click('#query-sql');
  await page.click('#run-sql');
  check(await page.until("document.getElementById('sql-status')?.dataset.rows"), 'its SQL opens in the console, and runs', await page.value(text('#sql-status')));
  same('with the same rows', expected.hot100, Number(await page.value("document.getElementById('sql-status').dataset.rows")));
}

// Each by its address; what it got as it gives it away, by the button JSON.
async function everyQuery(page) {
  const wrong = [];
  await page.value('(() => { const made = URL.createObjectURL.bind(URL); URL.createObjectURL = (blob) => { window.given = blob.text(); return made(blob); }; })()');
  for (const [name, rows] of Object.entries(expected.answers)) {
    await page.value(`(() => { document.querySelector('.query-result').replaceChildren(); window.given = null; location.hash = '#query:${name}?limit=1000'; })()`);
    await page.until("document.getElementById('query-status') || document.querySelector('.query-result .left-out')");
    const saved = await page.value("(() => { const button = [...document.querySelectorAll('.query-result .downloads button')].find((one) => one.textContent === 'JSON'); button?.click(); return !!button; })()");
    const got = saved ? await page.value('window.given') : await page.value("document.getElementById('query-status') ? '[]' : 'null'");
    if (JSON.stringify(JSON.parse(got)) !== JSON.stringify(rows)) wrong.push([name, got.slice(0, 200), JSON.stringify(rows).slice(0, 200)]);
  }
  same('each query\u2019s rows are what fisql query NAME --format json prints', [], wrong);
  check(Object.values(expected.answers).filter((rows) => rows && rows.length > 0).length > 20, 'more than twenty have rows here');
}

async function sqlConsole(page) {
  const content = "document.getElementById('sql-editor').shadowRoot.querySelector('.cm-content')";
  const write = async (sql) => { // by its address, in place of what is there
    await page.value(`location.hash = ${JSON.stringify(`#sql:${encodeURIComponent(sql)}`)}`);
    await page.drawn();
    await page.until(`${content}.textContent.includes(${JSON.stringify(sql.trim().slice(0, 12))})`);
    await page.value(`${content}.focus()`);
  };
  await write('SELECT depth, count(*) AS calls FROM calls GROUP BY depth ORDER BY depth');
  await page.value("document.getElementById('sql-status')?.remove()");
  await page.key('Enter', { modifiers: 2 });
  check(await page.until("document.getElementById('sql-status')?.dataset.rows"), 'console: Ctrl and Enter runs it', await page.value(text('#sql-status')));
  same('console: the rows', expected.depths, Number(await page.value("document.getElementById('sql-status').dataset.rows")));
  check(await page.value(`${content}.querySelectorAll('span[class]').length > 3`), 'console: SQL is highlighted');
  for (const kind of ['line', 'bars', 'points', 'histogram']) {
    await page.click(`document.querySelector('.plot [data-value=${kind}]')`);
    check(await page.until("document.querySelector('.rows-plot canvas')?.width > 100"), `console: plots ${kind}`);
  }
  await write(' ');
  await page.type('SELECT * FROM function_st');
  check(await page.until("document.getElementById('sql-editor').shadowRoot.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('function_stats')"), 'console: completes tables');
  await page.key('Escape');
  await write('SELECT nowhere FROM calls');
  await page.click('#run-sql');
  check(await page.until(`${text('#sql-status')}.includes('no such column')`), 'console: says what is wrong', await page.value(text('#sql-status')));
  await write('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n');
  await page.click('#run-sql');
  await page.until("!document.getElementById('stop-sql').disabled");
  await page.click('#stop-sql');
  check(await page.until(`${text('#sql-status')}.includes('Stopped')`), 'console: a statement that runs can be stopped');
  check(await page.until("document.querySelectorAll('.schema details').length > 50"), 'console: the schema is beside it');
  check(await page.value("document.querySelectorAll('#sql-kept option').length > 1"), 'console: statements are kept');
}

async function looks() {
  for (const theme of ['light', 'dark']) {
    for (const [width, height] of [[1400, 900], [390, 800]]) {
      const page = await opened({ theme, width, height });
      same(`${theme}, ${width}: the theme`, theme, await page.value('document.documentElement.dataset.theme'));
      same(`${theme}, ${width}: no wider than the window`, width, await page.value('document.documentElement.scrollWidth'));
      const wide = await page.value(`[...document.querySelectorAll('main > section')].filter((one) => one.getBoundingClientRect().right > ${width}).map((one) => one.id)`);
      same(`${theme}, ${width}: no section is wider`, [], wide);
      if (pictures) {
        for (const id of ['timeline', 'queries', 'sql']) {
          await page.value(`location.hash = '#${id}'`);
          await page.until(`${answers} > 0`);
          await page.drawn();
          await page.picture(`${pictures}/${id}-${theme}-${width}.png`);
        }
      }
      same(`${theme}, ${width}: no errors`, [], page.problems);
      await page.close();
    }
  }
}

try {
  const page = await opened({ width: 1400 });
  await opens(page);
  await timeline(page);
  await source(page);
  await queries(page);
  await everyQuery(page);
  await sqlConsole(page);
  // the one that the statement with a mistake, and the one that was stopped, leave in the browser's log
  same('without errors', [], page.problems.filter((one) => !/status of 400/.test(one)));
  await page.close();
  await object();
  await looks();
} catch (error) {
  check(false, `goes on to its end (${error.stack})`);
} finally {
  await browser.close();
}
