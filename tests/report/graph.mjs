// The call graph of the page, arranged in a real browser: node graph.mjs REPORT.html EXPECTED.json WIDE.html
// REPORT.html is that of tests/programs/modules with a map; EXPECTED holds what its database says; WIDE.html is a page of a
// run with very many functions. Prints `ok - what` or `not ok - what` for each check.
import { checks, given } from './checks.mjs';
import { Browser } from './devtools.mjs';

const { file, expected, more: [wide] } = given();
const { check, same } = checks('call graph');
const browser = new Browser();

const box = (name) => `document.querySelector('#graph-drawing g.box[name=${JSON.stringify(name)}]')`;
const names = "[...document.querySelectorAll('#graph-drawing g.box')].map((one) => one.getAttribute('name')).sort()";
// Where a box's middle is in the drawing
const place = (name) => `/translate\\(([-\\d.]+) ([-\\d.]+)\\)/.exec(${box(name)}.getAttribute('transform')).slice(1).map(Number)`;
const title = (name) => `${box(name)}.querySelector('a > title').textContent`;
const pinned = (name) => `${box(name)}.querySelector('.pin').getAttribute('aria-pressed')`;
const status = "document.querySelector('.graph-status').textContent";
const kinds = (kind) => `#graph button[data-value=${kind}]`;
const lines = "[...document.querySelectorAll('#graph-drawing .edge title')].map((one) => one.textContent.replace(/ calls?[:,].*/, '')).sort()";

async function open(page, kind) {
  await page.openReport(file, browser);
  await page.value("location.hash = '#graph'");
  await page.drawn();
  if (kind) await page.click(kinds(kind));
}

// Drags a box's middle by so many pixels of the screen.
async function drag(page, name, x, y) {
  await page.value(`${box(name)}.scrollIntoView({ block: 'center' })`);
  await page.drawn();
  const [left, top] = await page.value(`(() => { const one = ${box(name)}.querySelector('.node').getBoundingClientRect(); return [one.left + one.width / 2, one.top + one.height / 2]; })()`);
  await page.mouse('mouseMoved', left, top, { button: 'none' });
  await page.mouse('mousePressed', left, top, { buttons: 1 });
  for (let step = 1; step <= 4; step++) await page.mouse('mouseMoved', left + x * step / 4, top + y * step / 4, { buttons: 1 });
  await page.mouse('mouseReleased', left + x, top + y);
  await page.drawn();
}

async function kindsOfBoxes(page) {
  await open(page);
  same('a run with a map begins with its modules', expected.modules, await page.value(names));
  const [web] = expected.sums.filter((one) => one.name === 'web');
  check((await page.value(title('web'))).startsWith(`web: ${web.functions} function`), 'a module\'s functions', await page.value(title('web')));
  await page.click(kinds('file'));
  same('files', expected.files, await page.value(names));
  await page.click(kinds('function'));
  same('functions are the third kind', expected.functions, await page.value(names));
  same('a line for each pair of functions', expected.lines, (await page.value("[...document.querySelectorAll('#graph-drawing .edge title')].map((one) => one.textContent.replace(/(: [0-9]+) calls?,.*/, '$1')).sort()")));
  await page.click(`${box('db_get')}.querySelector('.shade')`);
  check(/^#function-\d+$/.test(await page.value('location.hash')), 'a click on a function goes to it', await page.value('location.hash'));
  same('... and moves nothing', 'false', await page.value(pinned('db_get')));
  await page.click(kinds('module'));
  await page.click(`${box('storage')}.querySelector('.shade')`);
  same('a click on a module lists its functions', expected.storage,
    await page.value("[...document.querySelectorAll('#functions tbody tr td:first-child a')].map((one) => one.textContent).sort()"));
}

async function drags(page) {
  await open(page, 'function');
  const before = await page.value(place('pack')), others = await page.value(place('main'));
  await drag(page, 'pack', 160, 30);
  const after = await page.value(place('pack'));
  check(after[0] > before[0] + 100 && after[1] > before[1] + 15, 'a box goes where it is dragged', { before, after });
  same('... and is pinned', 'true', await page.value(pinned('pack')));
  same('... which is said', 'pack is pinned.', await page.value(status));
  same('... the others stay', others, await page.value(place('main')));
  same('... and no click comes of it', '#graph', await page.value('location.hash'));
  const ends = await page.value(`(() => { const edge = [...document.querySelectorAll('#graph-drawing .edge')].find((one) => one.textContent.startsWith('db_put calls pack'));
    const end = edge.getPointAtLength(edge.getTotalLength()); return [end.x, end.y]; })()`);
  check(Math.abs(ends[0] - after[0]) <= 112 && Math.abs(ends[1] - after[1]) <= 21, '... its lines follow', { ends, after });
  await open(page);
  same('it is remembered: the kind of box', expected.functions, await page.value(names));
  same('... and the place', after, await page.value(place('pack')));
  same('... and that it is pinned', ['true', 'false'], [await page.value(pinned('pack')), await page.value(pinned('main'))]);
  await page.value(`${box('pack')}.querySelector('.pin').dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
  same('its pin lets it go', before, await page.value(place('pack')));
  await drag(page, 'pack', -2000, -2000);
  const [x, y] = await page.value(place('pack'));
  check(x >= 64 && y >= 20, 'no box leaves the drawing', [x, y]);
}

async function keys(page) {
  await open(page, 'function');
  await page.click('#graph-anew');
  const before = await page.value(place('clamp'));
  await page.value(`${box('clamp')}.querySelector('a').focus()`);
  await page.key('ArrowRight');
  await page.key('ArrowDown');
  same('arrow keys move a box', [before[0] + 8, before[1] + 8].map(Math.round), await page.value(place('clamp')));
  same('... and pin it', 'true', await page.value(pinned('clamp')));
  await page.key('p');
  same('p unpins it', before, await page.value(place('clamp')));
  same('... and it keeps the focus', 'clamp', await page.value("document.activeElement.closest('g.box').getAttribute('name')"));
  await page.key('-');
  same('minus collapses the file that it is part of', expected.withoutMain, await page.value(names));
  same('... and the file has the focus', 'main.c', await page.value("document.activeElement.closest('g.box').getAttribute('name')"));
  await page.key('-');
  same('... again: its module', expected.withoutParts, await page.value(names));
  await page.key('+');
  await page.key('+');
  same('plus opens it', expected.functions, await page.value(names));
  check(['clamp', 'main'].includes(await page.value("document.activeElement.closest('g.box').getAttribute('name')")), '... and a box of it has the focus');
}

async function groups(page) {
  await open(page, 'function');
  await page.value(`${box('db_get')}.querySelector('.collapse').dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
  same('a group collapses to one box', expected.withoutStore, await page.value(names));
  const [store] = expected.sums.filter((one) => one.name === 'store.c');
  check((await page.value(title('store.c'))).startsWith(`store.c (file): ${store.functions} functions called, ${store.calls} calls`), '... with its sums', await page.value(title('store.c')));
  const into = await page.value(lines);
  check(into.includes(`http_serve calls store.c: ${expected.intoStore}`) && into.includes(`store.c calls pack: ${expected.requests}`), '... and its lines', into);
  await open(page);
  same('it is remembered', expected.withoutStore, await page.value(names));
  await page.click(kinds('file'));
  same('... for this kind of box alone', expected.files, await page.value(names));
  await page.click(kinds('function'));
  await page.value(`${box('store.c')}.querySelector('.open').dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
  same('it opens again', expected.functions, await page.value(names));
  same('nothing is arranged then', true, await page.value("document.getElementById('graph-anew').hidden"));
}

// What a page from elsewhere may have left there, and a browser that keeps nothing.
async function storage(page) {
  const wrong = [{ run: 3 }, null, { run: expected.run, kind: 'none', byKind: { function: { places: [['function:1', ['a', 1]], ['function:2', [1e9, -5]], 7], collapsed: [{}, 'x'.repeat(9999), 'file:77'] }, file: 5 } }];
  for (const text of ['{', '[]', JSON.stringify(wrong), JSON.stringify(wrong[2])]) {
    await page.value(`localStorage.setItem('fisql-graphs', ${JSON.stringify(text)})`);
    await open(page, 'function');
    same(`a strange memory is none: ${text.slice(0, 20)}`, expected.functions, await page.value(names));
  }
  await page.value("localStorage.setItem('fisql-graphs', JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ run: `run ${i}`, byKind: {} }))))");
  await open(page, 'function');
  await drag(page, 'main', 40, 0);
  same('the last forty runs are kept', [40, expected.run], await page.value("(() => { const all = JSON.parse(localStorage.getItem('fisql-graphs')); return [all.length, all[0].run]; })()"));
  same('no errors', [], page.problems);

  const none = await browser.page();
  await none.send('Page.addScriptToEvaluateOnNewDocument', { source: "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })" });
  await open(none, 'function');
  const before = await none.value(place('main'));
  await drag(none, 'main', 60, 0);
  const after = await none.value(place('main'));
  check(after[0] > before[0] + 30, 'without storage: a box can be dragged', { before, after });
  same('... and the page says that it will not be remembered', 'main is pinned. This browser keeps nothing for this page: the arrangement holds until it is closed.', await none.value(status));
  await none.click(kinds('file'));
  await none.click(kinds('function'));
  same('... it holds meanwhile', after, await none.value(place('main')));
  same('... without errors', [], none.problems);
  await none.close();
}

// Both themes: what the signs are drawn with is not what lies behind them.
async function themes() {
  for (const theme of ['light', 'dark']) {
    const page = await browser.page({ theme });
    await open(page, 'function');
    const [sign, around, text] = await page.value("['.sign path', '.sign .around', '.name'].map((one) => getComputedStyle(document.querySelector('#graph-drawing ' + one))).map((one, i) => (i === 0 ? one.stroke : one.fill))");
    check(sign !== around && sign === text, `${theme}: signs can be seen`, { sign, around, text });
    same(`${theme}: no errors`, [], page.problems);
    await page.close();
  }
}

async function many() {
  const page = await browser.page();
  await page.openReport(wide, browser);
  await page.click(kinds('function'));
  same('many functions: forty boxes', 40, await page.value("document.querySelectorAll('#graph-drawing g.box').length"));
  const words = await page.value("document.querySelector('#graph .left-out').textContent");
  const [, drawn, left] = /^Drawn are the (\d+) boxes .*left out are ([\d\u202f]+) functions/.exec(words) || [];
  same('... and the rest is said', [40, expected.wide - 40], [Number(drawn), Number((left || '').replace(/\D/g, ''))], words);
  same('many functions: no errors', [], page.problems);
  await page.close();
}

try {
  const page = await browser.page();
  for (const part of [kindsOfBoxes, drags, keys, groups, storage]) await part(page);
  await themes();
  await many();
} finally {
  await browser.close();
}
