// What the report page must do, tried in a real browser: node page.mjs REPORT.html EXPECTED.json
// EXPECTED holds what the database says. Prints `ok - what` or `not ok - what` for each check.
import { statSync } from 'node:fs';
import { checks, ELEMENTS_MAX, given } from './checks.mjs';
import { Browser } from './devtools.mjs';

const { file, expected } = given();
const { check, same } = checks('report page');
const browser = new Browser();

// How many colours a canvas has in its middle part: 1 = nothing is drawn.
const colours = (selector) => `(() => {
  const canvas = document.querySelector('${selector}');
  if (!canvas || !canvas.width || !canvas.height) return 0;
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return seen.size;
})()`;
const text = (selector) => `document.querySelector(${JSON.stringify(selector)})?.textContent`;
const range = '[Number(document.getElementById("timeline-canvas").dataset.from), Number(document.getElementById("timeline-canvas").dataset.to)]';
// The flame graph's box of a function: [left, width] of the widest of that name
const box = (name) => `Math.max(...[...document.querySelectorAll('#flame-chart g')].filter((g) => g.getAttribute('name') === ${JSON.stringify(name)})
  .map((g) => g.querySelector('rect').getBoundingClientRect().width), 0)`;
// An expression for the click target: the widest box of that name.
const widest = (name) => `[...document.querySelectorAll('#flame-chart g')].filter((g) => g.getAttribute('name') === ${JSON.stringify(name)})
  .sort((a, b) => b.getBoundingClientRect().width - a.getBoundingClientRect().width)[0]?.querySelector('rect')`;

async function opens(page) {
  const { ready, elements } = await page.openReport(file, browser);
  check(ready, 'opens');
  check(elements <= ELEMENTS_MAX, `has at most ${ELEMENTS_MAX} elements`, elements);
  check(statSync(file).size <= 5 * 1024 * 1024, 'is at most 5 MB', statSync(file).size);
  same('asks for nothing but itself', [`file://${file}`], page.requests);
  same('has its sections', ['summary', 'flame', 'tree', 'timeline', 'functions', 'function', 'graph', 'memory', 'findings', 'run'],
    await page.value("[...document.querySelectorAll('main > section')].map((one) => one.id)"));
  check((await page.value(text('.licences'))).includes('Permission is hereby granted'), 'shows the libraries\' licences');
}

async function draws(page) {
  check(await page.until("document.querySelectorAll('#flame-chart rect').length > 8"), 'draws the flame graph');
  check(await page.until(`${colours('#timeline-canvas')} > 5`), 'draws the timeline');
  check(await page.until(`${colours('.memory-plot canvas')} > 3`), 'draws live memory');
  check(await page.until("document.querySelectorAll('#graph-drawing rect').length > 0"), 'draws the call graph');
  const nodes = await page.value("[...document.querySelectorAll('#graph-drawing .node')].filter((one) => one.getBoundingClientRect().width < 40).length");
  same('a box of the call graph is as wide as its name', 0, nodes);
  check(await page.until("document.querySelectorAll('.histogram .bar').length > 0"), 'draws a histogram');
  same('has a lane for each thread', expected.threads, await page.value("JSON.parse(document.getElementById('data').textContent).lanes.length"));
  const axis = await page.value(`(() => { const lanes = document.querySelector('.lanes').getBoundingClientRect();
    const over = document.querySelector('.u-over').getBoundingClientRect(); return [lanes.left + 136 - over.left, lanes.right - over.right]; })()`);
  check(axis.every((off) => Math.abs(off) <= 3), 'plots memory on the timeline\'s axis', axis);
}

async function summary(page) {
  const shown = await page.value(text('#summary'));
  check(shown.includes(expected.command), 'says what ran');
  check(shown.includes('The recording is complete.'), 'says that the recording is complete');
  const hottest = await page.value("[...document.querySelectorAll('.hottest li')].map((one) => one.querySelector('a').textContent)");
  same('first screen: the five hottest functions', expected.hottest, hottest);
  check(await page.value("document.querySelectorAll('#summary .flame rect').length > 3"), 'first screen: a small flame graph');
  check(await page.until(`${colours('.small-timeline canvas')} > 4`), 'first screen: a small timeline');
  const few = await page.value("document.querySelectorAll('#summary .main-findings li').length");
  check(few <= 5 && await page.value("document.querySelector('.main-findings').textContent.length > 20"), 'first screen: at most five findings', few);
  check(!/hook_inside_ps|cpu_model|gap_ticks/.test(await page.value('document.body.innerText')), 'no dump of raw facts');
  for (const finding of expected.findings) {
    await page.value(`document.getElementById('finding-${finding.name}').open = true`);
    await page.drawn();
    const words = await page.value(text(`#finding-${finding.name}`));
    check(words && words.includes(finding.word) && words.includes('What to do'), `has the findings of ${finding.name} with their advice`, words);
  }
}

async function flame(page) {
  const name = expected.flame;
  await page.click('#flame input');
  await page.type(name);
  check(/^\d+ contexts?, /.test(await page.value(text('#flame .found'))), 'flame graph: search finds', await page.value(text('#flame .found')));
  const fills = await page.value("new Set([...document.querySelectorAll('#flame-chart rect')].filter((one) => /f05bd0|240, 91, 208/.test(one.getAttribute('fill'))).map((one) => one.parentNode.getAttribute('name'))).size");
  check(fills === 1, 'flame graph: marks what is found', fills);
  await page.value("(() => { const i = document.querySelector('#flame input'); i.value = 'no such name'; i.dispatchEvent(new Event('input')); })()");
  same('flame graph: says when nothing is found', 'nothing found', await page.value(text('#flame .found')));
  const before = await page.value(box(name)), whole = await page.value(box('all'));
  await page.click(widest(name));
  check(await page.until(`${box(name)} > ${whole} * 0.98`), 'flame graph: a click zooms', { before, after: await page.value(box(name)), whole });
  check((await page.value(text('#flame .focus'))).startsWith(name), 'flame graph: tells about what was clicked');
  await page.click("[...document.querySelectorAll('#flame button')].find((one) => one.textContent === 'Whole run')");
  check(await page.until(`Math.abs(${box(name)} - ${before}) < 2`), 'flame graph: the whole run comes back');
  for (const metric of ['calls', 'bytes', 'cpu']) {
    await page.click(`#flame [data-value="${metric}"]`);
    check(await page.until(`document.querySelectorAll('#flame-chart rect').length > 3 && ${text('#flame .focus')}.includes('${expected.whole[metric]}')`),
      `flame graph: width by ${metric}`, await page.value(text('#flame .focus')));
  }
}

// The callees of main, in the tree.
const callees = `[...[...document.querySelectorAll('#tree [role=treeitem]')].find((one) => one.querySelector('a').textContent === 'main')
  .querySelector('ul').children].map((one) => [one.querySelector('a').textContent, Number(one.querySelector('.call-tree-line').children[2].textContent.replace(/\\D/g, ''))])`;

async function callTree(page) {
  const main = `[...document.querySelectorAll('#tree [role=treeitem]')].find((one) => one.querySelector('a').textContent === 'main')`;
  if (await page.value(`${main}.getAttribute('aria-expanded')`) === 'true') await page.value(`${main}.querySelector('.toggle').click()`);
  same('call tree: a node closes', 0, await page.value(`${main}.querySelectorAll('li').length`));
  await page.click(`${main}.querySelector('.toggle')`);
  const sorted = (list) => [...list].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  same('call tree: a node opens to its callees with their calls', sorted(expected.callees), sorted(await page.value(callees)));
  await page.click('#tree [data-value="first"]');
  if (await page.value(`${main}.getAttribute('aria-expanded')`) === 'false') await page.value(`${main}.querySelector('.toggle').click()`);
  same('call tree: in the order of their first calls', expected.callees, await page.value(callees));
  await page.value(`${main}.querySelector('.call-tree-line').focus()`);
  await page.key('ArrowLeft');
  same('call tree: the left arrow closes', 'false', await page.value(`${main}.getAttribute('aria-expanded')`));
  await page.key('ArrowRight');
  await page.key('ArrowRight');
  same('call tree: the right arrow opens and goes in', expected.callees[0][0], await page.value("document.activeElement.querySelector('a').textContent"));
}

async function flameKeys(page) {
  await page.value("document.getElementById('flame-chart').focus()");
  await page.key('ArrowDown');
  await page.key('ArrowDown');
  const name = await page.value("document.querySelector('#flame-chart g.cursor').getAttribute('name')");
  check(name !== 'all', 'flame graph: arrow keys move', name);
  await page.key('Enter');
  check(await page.until(`${box(name)} > ${box('all')} * 0.98`), 'flame graph: Enter zooms');
  await page.key('Escape');
  same('flame graph: Escape goes back', 'all', await page.value("document.querySelector('#flame-chart g.cursor').getAttribute('name')"));
}

// Other views of the flame graph, and what narrows it.
async function flameViews(page) {
  const names = "[...new Set([...document.querySelectorAll('#flame-chart g')].map((one) => one.getAttribute('name')))]";
  const first = `[...document.querySelectorAll('#flame-chart g')].filter((one) => / 20\\)$/.test(one.getAttribute('transform')))
    .sort((a, b) => b.getBoundingClientRect().width - a.getBoundingClientRect().width)[0].getAttribute('name')`;
  const press = (text) => page.click(`[...document.querySelectorAll('#flame button')].find((one) => one.textContent.startsWith(${JSON.stringify(text)}))`);
  const at = await page.value(`(() => { const one = ${widest('main')}; one.scrollIntoView({ block: 'center' }); const box = one.getBoundingClientRect(); return [box.left + 9, box.top + 9]; })()`);
  await page.mouse('mouseMoved', at[0], at[1], { button: 'none' });
  check(await page.value("!document.getElementById('tip').hidden && document.getElementById('tip').textContent.startsWith('main')"), 'flame graph: the pointer is told at once where it is');
  const cut = await page.value(`[...document.querySelectorAll('#flame-chart g')].map((one) => [one.getAttribute('name'), one.querySelector('text')?.textContent])
    .filter(([name, shown]) => shown && shown !== name && !(shown.endsWith('…') && /^([_:.]|[A-Z])/.test(name.slice(shown.length - 1))))`);
  same('flame graph: names are cut between words', [], cut);
  const empty = await page.value("(() => { const box = document.querySelector('#flame-chart svg').getBoundingClientRect(); return box.bottom - Math.max(...[...document.querySelectorAll('#flame-chart rect')].map((one) => one.getBoundingClientRect().bottom)); })()");
  check(empty < 5, 'flame graph: it ends with its lowest box', empty);
  await page.click('#flame [data-value="inverted"]');
  same('flame graph, inverted: the hottest comes first', expected.hottest[0], await page.value(first));
  await page.click('#flame [data-value="down"]');
  await page.click(widest(expected.flame));
  await press('Sandwich');
  const around = await page.value(names);
  const relatives = expected.functions.find((one) => one.name === expected.flame);
  check(relatives.callers.every(([name]) => around.includes(name)) && around.includes(expected.flame), 'flame graph, sandwich: callers are above', around);
  await page.click('#flame [data-value="down"]');
  await page.click(widest(expected.flame));
  await press('Hide');
  check(!(await page.value(names)).includes(expected.flame) && (await page.value(text('#flame .filters'))).includes(`Hidden: ${expected.flame}`), 'flame graph: a function can be hidden');
  await press('Hidden: ');
  check((await page.value(names)).includes(expected.flame), 'flame graph: and shown again');
  await page.click(widest(expected.flame));
  await press('Focus');
  const focused = await page.value("[...document.querySelectorAll('#flame-chart g')].map((one) => [one.getAttribute('name'), one.getBoundingClientRect().width])");
  const whole = Math.max(...focused.map(([, width]) => width));
  check(focused.some(([name, width]) => name === expected.flame && width > whole * 0.98), 'flame graph: a focus leaves out what is beside it', focused.slice(0, 6));
  await page.click("[...document.querySelectorAll('#flame button')].find((one) => one.textContent === 'Whole run')");
  await page.click('#flame [data-value="calls"]');
  for (const [id, calls] of expected.threadCalls) {
    await page.value(`(() => { const one = document.querySelector('#flame select'); one.value = '${id}'; one.dispatchEvent(new Event('change')); })()`);
    same(`flame graph: thread ${id} has its calls`, calls, Number((await page.value(text('#flame .focus'))).replace(/^.*: ([\d\u202f]+) calls?.*$/, '$1').replace(/\D/g, '')));
  }
  await page.value("(() => { const one = document.querySelector('#flame select'); one.value = '0'; one.dispatchEvent(new Event('change')); })()");
  await page.click('#flame [data-value="cpu"]');
}

async function table(page) {
  const column = (n) => `[...document.querySelectorAll('#functions tbody tr')].map((row) => row.children[${n}].textContent)`;
  await page.click('#functions th[data-key="calls"] button');
  same('functions: a click sorts', expected.byCalls, (await page.value(column(0))).slice(0, expected.byCalls.length));
  same('functions: the order is told', 'descending', await page.value('document.querySelector(\'#functions th[data-key="calls"]\').getAttribute("aria-sort")'));
  await page.click('#functions th[data-key="calls"] button');
  same('functions: the second click turns the order', 'ascending', await page.value('document.querySelector(\'#functions th[data-key="calls"]\').getAttribute("aria-sort")'));
  const few = await page.value(`${column(5)}[0]`);
  same('functions: the fewest calls come first', String(expected.fewestCalls), few.replace(/\D/g, ''));
  await page.click('#functions input');
  await page.type(expected.flame);
  const rows = await page.value(column(0));
  check(rows.length > 0 && rows.every((one) => one.includes(expected.flame)), 'functions: search finds', rows);
  await page.value("(() => { const i = document.querySelector('#functions input'); i.value = ''; i.dispatchEvent(new Event('input')); })()");
}

async function oneFunction(page) {
  for (const one of expected.functions) {
    await page.value(`location.hash = '#function-${one.id}'`);
    check(await page.until(`document.getElementById('function-${one.id}')?.querySelector('h3').textContent === ${JSON.stringify(one.name)}`),
      `${one.name}: its link goes to it`);
    for (const side of ['callers', 'callees']) {
      same(`${one.name}: its ${side}, with calls`, one[side], await page.value(`[...document.querySelectorAll('.${side} tbody tr')]
        .map((row) => [row.children[0].textContent, Number(row.children[1].textContent.replace(/\\D/g, ''))]).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))`));
    }
    same(`${one.name}: its histogram holds all its calls`, one.finished,
      Number((await page.value("document.querySelector('.histogram').getAttribute('aria-label')")).replace(/^Histogram of ([\d\u202f]+) .*$/, '$1').replace(/\D/g, '')));
    same(`${one.name}: its slowest call's stack`, one.stack, await page.value("[...document.querySelectorAll('.extreme')[0].querySelectorAll('li > :first-child')].map((one) => one.textContent)"));
    check((await page.value(text('.extreme .quiet'))).startsWith(`call ${one.slowest},`), `${one.name}: names its slowest call`);
  }
  const link = await page.value("document.querySelector('.callers tbody a').getAttribute('href')");
  await page.click('.callers tbody a');
  check(await page.until(`location.hash === '${link}' && document.getElementById('${link.slice(1)}')`), 'a caller\'s link goes to the caller');
  const top = await page.value(`document.getElementById('${link.slice(1)}').getBoundingClientRect().top`);
  check(top >= 0 && top < 400, 'and what it links to is in view', top);
}

async function timeline(page) {
  await page.value("document.getElementById('timeline').scrollIntoView()");
  await page.value("document.getElementById('timeline-canvas').focus()");
  const [from, to] = await page.value(range);
  same('timeline: opens with the whole run', [0, expected.end], [from, to]);
  await page.key('+');
  const [from2, to2] = await page.value(range);
  check(to2 - from2 < (to - from) * 0.7, 'timeline: + zooms', [from2, to2]);
  await page.key('ArrowRight');
  const [from3, to3] = await page.value(range);
  check(from3 > from2 && Math.abs(to3 - from3 - (to2 - from2)) < 2, 'timeline: the right key pans', [from3, to3]);
  check(await page.until("document.querySelector('.memory-plot .u-wrap')"), 'timeline: memory stays');
  const spot = await page.value("(() => { const box = document.getElementById('timeline-canvas').getBoundingClientRect(); return [box.left + 400, box.top + 60]; })()");
  await page.mouse('mousePressed', spot[0], spot[1]);
  await page.mouse('mouseMoved', spot[0] + 100, spot[1], { buttons: 1 });
  await page.mouse('mouseReleased', spot[0] + 100, spot[1]);
  await page.drawn();
  same('timeline: dragging does not move it', [from3, to3], await page.value(range));
  const told = await page.value(text('#timeline .range'));
  check(/ selected, from .* begun/.test(told), 'timeline: dragging selects a range, which is told about', told);
  await page.click("[...document.querySelectorAll('#timeline .range button')].find((one) => one.textContent === 'Zoom to it')");
  const [from6, to6] = await page.value(range);
  check(from6 > from3 && to6 < to3, 'timeline: and can be zoomed to', [from6, to6]);
  await page.value("document.getElementById('timeline-canvas').focus()");
  await page.key('Escape');
  same('timeline: Escape takes the selection away', undefined, await page.value(text('#timeline .range')));
  const there = await page.value("(() => { const box = document.getElementById('timeline-canvas').getBoundingClientRect(); return [box.left + 400, box.top + 60]; })()");
  await page.mouse('mouseWheel', there[0], there[1], { deltaX: 0, deltaY: -200, button: 'none', clickCount: 0 });
  await page.drawn();
  check(await page.until(`(([a, b]) => b - a < ${to6 - from6} * 0.8)(${range})`), 'timeline: the wheel zooms', await page.value(range));
  const [from4, to4] = await page.value(range);
  await page.key('d');
  const [from7] = await page.value(range);
  check(from7 > from4, 'timeline: d pans', [from4, from7]);
  await page.key('s');
  await page.key('s');
  check(await page.until(`(([a, b]) => b - a > ${(to4 - from4) * 1.5})(${range})`), 'timeline: s zooms out', await page.value(range));
  await page.key('Home');
  same('timeline: Home shows all', [0, expected.end], await page.value(range));
  await page.key('n');
  check(/call \d+$/.test(await page.value(text('#timeline .focus'))), 'timeline: n chooses a call', await page.value(text('#timeline .focus')));
  await page.key('Enter');
  await page.click('#longest-of');
  await page.type(expected.longest.name);
  await page.click('#go-longest');
  const [from5, to5] = await page.value(range);
  const { enter, duration, id } = expected.longest;
  check((await page.value(text('#timeline .focus'))).endsWith(`call ${id}`), 'timeline: the button goes to the longest call', await page.value(text('#timeline .focus')));
  check(from5 <= enter && to5 >= enter + duration && to5 - from5 < 2 * duration + 200, 'timeline: and shows it whole', { from5, to5, enter, duration });
  const notes = await page.value("[...document.querySelectorAll('.events li')].map((one) => one.textContent)");
  check(notes.some((one) => one.includes(expected.note)), 'timeline: has the notes', notes.slice(0, 3));
  check(notes.some((one) => one.includes(expected.lock)), 'timeline: has the lock waits', notes.slice(0, 5));
  await page.key('Home');
}

// Lanes fold and are sorted, the strip above moves the view, and nothing is drawn beside a lane.
async function lanes(page) {
  await page.value("document.getElementById('timeline-canvas').focus()");
  await page.key('Home');
  const high = "document.querySelector('#timeline .spacer').offsetHeight";
  const before = await page.value(high);
  const spot = await page.value("(() => { const box = document.getElementById('timeline-canvas').getBoundingClientRect(); return [box.left + 40, box.top + 30]; })()");
  await page.clickAt(spot[0], spot[1]);
  check(await page.value(high) < before, 'timeline: a lane folds by its name', [before, await page.value(high)]);
  await page.click("[...document.querySelectorAll('#timeline button')].find((one) => one.textContent === 'Fold')");
  const least = await page.value(high);
  check(least < 30 * (expected.threads + 1), 'timeline: all lanes fold', least);
  await page.click("[...document.querySelectorAll('#timeline button')].find((one) => one.textContent === 'Unfold')");
  same('timeline: and unfold', before, await page.value(high));
  await page.value("(() => { const one = document.querySelector('#timeline select'); one.value = 'calls'; one.dispatchEvent(new Event('change')); })()");
  await page.drawn();
  same('timeline: lanes are sorted', expected.threadsByCalls.join(' '), await page.value("document.getElementById('timeline-canvas').dataset.threads"));
  const strip = await page.value("(() => { const one = document.querySelector('.overview'); one.scrollIntoView({ block: 'center' }); const box = one.getBoundingClientRect(); return [box.left + 136, box.width - 136, box.top + 10]; })()");
  await page.mouse('mousePressed', strip[0] + strip[1] / 2, strip[2]);
  await page.mouse('mouseMoved', strip[0] + strip[1] * 0.75, strip[2], { buttons: 1 });
  await page.mouse('mouseReleased', strip[0] + strip[1] * 0.75, strip[2]);
  await page.drawn();
  const [from, to] = await page.value(range);
  check(Math.abs(from / expected.end - 0.5) < 0.01 && Math.abs(to / expected.end - 0.75) < 0.01, 'timeline: the strip opens what is dragged over', [from, to]);
  const beside = await page.value(`(() => { const canvas = document.getElementById('timeline-canvas'); const copy = document.createElement('canvas');
    copy.width = canvas.width; copy.height = canvas.height; const context = copy.getContext('2d', { willReadFrequently: true }); context.drawImage(canvas, 0, 0);
    const pixel = (x, y) => context.getImageData(x, y, 1, 1).data.join(); const seen = new Set();
    for (let y = 23; y < canvas.height; y++) for (const x of [126, 133]) seen.add(pixel(x, y)); return seen.size; })()`);
  check(beside <= 3, 'timeline: what is drawn stays in its lane', beside); // the panel, the line between lanes
  await page.key('Home');
}

async function memory(page) {
  const cells = (key) => `(() => { const at = [...document.querySelectorAll('#memory th')].findIndex((one) => one.dataset.key === '${key}');
    return document.querySelector('#memory tbody tr').children[at].textContent; })()`;
  same('memory: most bytes by stack', expected.memory.bytes, await page.value(cells('bytes')));
  await page.click('#memory [data-value="live_bytes"]');
  same('memory: most not freed', expected.memory.live, await page.value(cells('live_bytes')));
  await page.click('#memory [data-value="peak_bytes"]');
  same('memory: most at the peak', expected.memory.peak, await page.value(cells('peak_bytes')));
  await page.click('#memory .expand');
  check((await page.value("document.querySelectorAll('#memory .stack li').length")) > 0, 'memory: a row opens its stack');
}

async function keys(page) {
  await page.value('document.activeElement.blur()');
  await page.key('/');
  same('keys: / goes to the search', 'find-function', await page.value('document.activeElement.id'));
  await page.type(expected.flame);
  await page.key('Enter');
  check(await page.until("/^#function-\\d+$/.test(location.hash)"), 'keys: Enter there goes to the function');
  // A part of a name that one function has, also among those that the table does not show; and the table's own search
  await page.value("document.getElementById('find-function').blur(); document.getElementById('find-function').focus()"); // offers all names
  const part = await page.value(`(() => {
    const texts = [...document.querySelectorAll('#functions tbody tr')].map((row) => row.textContent.toLowerCase());
    const names = [...document.querySelectorAll('#functions tbody td:first-child')].map((cell) => cell.textContent.slice(1).toLowerCase());
    const offered = [...document.querySelectorAll('#function-names option')].map((option) => option.value.toLowerCase());
    const once = (name, list) => list.filter((text) => text.includes(name)).length === 1;
    return names.find((name) => name && once(name, texts) && once(name, offered)); })()`);
  for (const [field, how] of [['#find-function', 'the header'], ['#functions input[type=search]', 'the table']]) {
    await page.value("location.hash = '#summary'");
    await page.drawn(); // going there takes the focus
    await page.value(`(() => { const field = document.querySelector('${field}'); field.value = ''; field.focus(); })()`);
    await page.type(part);
    await page.key('Enter');
    check(await page.until("/^#function-\\d+$/.test(location.hash)"), `keys: Enter in ${how} opens the function with a part of its name`, part);
    same(`keys: and it is that one, in ${how}`, true, await page.value(
      `document.querySelector('#function h3, #function article').textContent.toLowerCase().includes(${JSON.stringify(part)})`));
  }
  await page.value("(() => { const field = document.querySelector('#functions input[type=search]'); field.value = ''; field.dispatchEvent(new Event('input')); })()");
  await page.value('document.activeElement.blur()');
  await page.key('7');
  same('keys: a number goes to a section', '#graph', await page.value('location.hash'));
  await page.key('?');
  check(await page.value("document.getElementById('keys').open"), 'keys: ? shows the keys');
  await page.key('Escape');
  await page.value("scrollTo(0, 0); document.querySelector('.skip').focus()");
  const stops = [];
  for (let i = 0; i < 12; i++) {
    await page.key('Tab');
    stops.push(await page.value('document.activeElement.tagName + " " + (document.activeElement.id || document.activeElement.textContent.slice(0, 20))'));
  }
  check(new Set(stops).size >= 10, 'keys: Tab goes through the page', stops);
}

// Contrast of text with what is behind it, as WCAG defines it.
const contrast = `(() => {
  const light = (value) => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const parse = (name) => { const probe = document.createElement('i'); probe.style.color = 'var(--' + name + ')'; document.body.append(probe);
    const rgb = getComputedStyle(probe).color.match(/\\d+/g).map(Number); probe.remove(); return rgb; };
  const luminance = (name) => { const [r, g, b] = parse(name).map(light); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  return Object.fromEntries(['text', 'quiet', 'accent', 'bad', 'warn', 'good'].map((name) => [name, ratio(name, 'panel')]));
})()`;

// The least contrast of a name in a flame graph with its box.
const boxContrast = `(() => {
  const light = (value) => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (fill) => { canvas.fillStyle = fill; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(light); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const text = luminance(getComputedStyle(document.querySelector('.flame text')).fill);
  return Math.min(...[...document.querySelectorAll('.flame g')].filter((one) => one.querySelector('text')).map((one) => {
    const [x, y] = [text, luminance(one.querySelector('rect').getAttribute('fill'))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); }));
})()`;

async function themes(page) {
  const back = 'getComputedStyle(document.querySelector("section")).backgroundColor';
  const pixel = `(() => { const copy = document.createElement('canvas').getContext('2d');
    copy.drawImage(document.getElementById('timeline-canvas'), -3, -40); return copy.getImageData(0, 0, 1, 1).data.join(); })()`;
  for (const theme of ['light', 'dark']) {
    const other = await browser.page({ theme });
    await other.open(`file://${file}`);
    await other.until('document.documentElement.dataset.ready');
    same(`opens ${theme} where the system is`, theme, await other.value('document.documentElement.dataset.theme'));
    const ratios = await other.value(contrast);
    check(Object.values(ratios).every((ratio) => ratio >= 4.5), `${theme}: text can be read`, ratios);
    const least = await other.value(boxContrast);
    check(least >= 4.5, `${theme}: names in the flame graph can be read`, least);
    same(`${theme}: no errors`, [], other.problems);
    await other.close();
  }
  const before = [await page.value(back), await page.value(pixel)];
  await page.click('#theme');
  await page.drawn();
  const after = [await page.value(back), await page.value(pixel)];
  check(before[0] !== after[0] && before[1] !== after[1], 'the switch changes page and drawings', { before, after });
}

// On a telephone: one row of header, nothing wider than the screen, cards of two lines.
async function narrow() {
  const phone = await browser.page({ width: 390, height: 800 });
  await phone.open(`file://${file}`);
  await phone.until('document.documentElement.dataset.ready');
  const header = await phone.value("document.querySelector('header').offsetHeight");
  check(header <= 56, 'narrow: the header is one row', header);
  same('narrow: the page is as wide as the screen', 390, await phone.value('document.documentElement.scrollWidth'));
  const wide = await phone.value("[...document.querySelectorAll('main > section')].filter((one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > 390).map((one) => one.id)");
  same('narrow: no section is wider than the screen', [], wide);
  for (const id of ['timeline', 'functions', 'memory']) {
    await phone.value(`location.hash = '#${id}'`);
    await phone.drawn();
    const top = await phone.value(`document.getElementById('${id}').getBoundingClientRect().top`);
    check(top >= header - 1 && top < header + 40, `narrow: ${id} is not under the header`, top);
  }
  await phone.value(`(() => { // times as wide as they get
    for (const text of [...document.querySelectorAll('#functions tbody td.second, #memory tbody td.second')].map((cell) => cell.firstChild).filter((one) => one && one.nodeType === 3))
      text.data = text.data.replace(/[0-9.]+ (ns|us|ms|s)$/, '888.88 ms');
  })()`);
  const rows = await phone.value("[...document.querySelectorAll('#functions tbody tr, #memory tbody tr')].filter((one) => one.offsetHeight > 64).map((one) => one.textContent)");
  same("narrow: functions and memory are cards of two lines", [], rows);
  const charts = await phone.value("['#flame-chart svg', '#timeline-canvas', '.memory-plot .u-over', '.small-timeline canvas'].map((one) => document.querySelector(one).getBoundingClientRect().width)");
  check(charts.every((width) => width > 340 && width < 390), 'narrow: charts use the width', charts);
  same('narrow: no errors', [], phone.problems);
  await phone.close();
  const desk = await browser.page({ width: 1400, height: 900 });
  await desk.open(`file://${file}`);
  await desk.until('document.documentElement.dataset.ready');
  const bottom = await desk.value("document.querySelector('.main-findings').getBoundingClientRect().bottom");
  check(bottom <= 900, 'the first screen holds all that is first', bottom);
  await desk.close();
}

async function prints(page) {
  await page.send('Emulation.setEmulatedMedia', { media: 'print' });
  same('printed: no navigation', 'none', await page.value('getComputedStyle(document.querySelector("header")).display'));
  check(await page.value("document.querySelector('#functions table').getBoundingClientRect().width > 300"), 'printed: the tables are there');
  await page.send('Emulation.setEmulatedMedia', { media: '' });
  const { data } = await page.send('Page.printToPDF', { printBackground: true });
  const pdf = Buffer.from(data, 'base64');
  check(pdf.subarray(0, 5).toString() === '%PDF-' && pdf.length > 30000, 'prints', pdf.length);
}

try {
  const page = await browser.page();
  for (const part of [opens, draws, summary, flame, callTree, flameKeys, flameViews, table, oneFunction, timeline, lanes, memory, keys, themes, narrow, prints]) {
    try {
      await part(page);
    } catch (error) {
      check(false, `${part.name} could be tried`, String(error.stack || error));
    }
  }
  same('no error, no warning in the console', [], page.problems);
} finally {
  await browser.close();
}
