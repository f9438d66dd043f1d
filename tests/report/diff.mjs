// What the page of two runs must do, tried in a real browser: node diff.mjs DIFF.html
// The runs are of tests/e2e/report_diff.sh. Prints `ok - what` or `not ok - what` for each check.
import { checks, ELEMENTS_MAX } from './checks.mjs';
import { Browser } from './devtools.mjs';

const [file] = process.argv.slice(2);
const { check, same } = checks('diff page');
const browser = new Browser();

// A function's row of the table: {column: text}, red: the columns in red
const row = (name) => `(() => {
  const line = [...document.querySelectorAll('#functions tbody tr')].find((one) => one.children[0].textContent === '${name}');
  if (!line) return null;
  const keys = [...document.querySelectorAll('#functions thead th')].map((one) => one.dataset.key);
  const cells = Object.fromEntries(keys.map((key, i) => [key, line.children[i].textContent]));
  cells.worse = keys.filter((key, i) => line.children[i].querySelector('.worse') && line.children[i].textContent);
  cells.better = keys.filter((key, i) => line.children[i].querySelector('.better') && line.children[i].textContent);
  cells.red = keys.filter((key, i) => line.children[i].querySelector('.differs') && line.children[i].textContent);
  return cells;
})()`;
const digits = (text) => Number(text.replace(/\D/g, ''));
// A box of a flame graph by its label, and its fill's hue and colourfulness
const box = (side, name) => `(() => {
  const g = [...document.querySelectorAll('#flame-${side}-chart g')].find((one) => one.getAttribute('name') === '${name}');
  if (!g) return null;
  const match = /hsl\\((\\d+) (\\d+)%/.exec(g.querySelector('rect').getAttribute('fill'));
  return { width: g.querySelector('rect').getBoundingClientRect().width, hue: Number(match[1]), full: Number(match[2]) };
})()`;
const red = (one) => one !== null && one.hue === 4 && one.full >= 35;
const green = (one) => one !== null && one.hue === 152 && one.full >= 35;

async function table(page) {
  const added = await page.value(row('added')), removed = await page.value(row('removed'));
  same('a function in B alone is new', ['new', '-', 7], [added?.states, added?.a_calls, digits(added?.b_calls)]);
  same('a function in A alone is gone', ['gone', 5, '-'], [removed?.states, digits(removed?.a_calls), removed?.b_calls]);
  check(added?.worse.includes('states') && removed?.better.includes('states') && !removed?.worse.length, 'worse and better have two colours', { added, removed });
  const busier = await page.value(row('busier'));
  // Its time may differ too, by chance.
  same('more calls are told, in red', [true, 10, 30, true],
    [/^called more(, (slower|faster))?$/.test(busier.states), digits(busier.a_calls), digits(busier.b_calls), busier.red.includes('b_calls')]);
  const slower = await page.value(row('slower'));
  check(slower.states.includes('slower') && slower.red.includes('b_mean_ns') && slower.p === '<0.0001', 'a slower function is told, in red, with its test', slower);
  const hungry = await page.value(row('hungry'));
  same('more memory is told, in red', ['allocates more', '100 B', '900 B', true],
    [hungry.states, hungry.a_alloc_bytes, hungry.b_alloc_bytes, hungry.red.includes('b_alloc_bytes')]);
  const alike = await page.value(row('alike'));
  // Of two runs a function's time may differ by chance; of one run with itself nothing is red (report_diff.sh).
  same('a function that is the same has nothing in red but its time', [true, []],
    [/^(slower|faster)?$/.test(alike.states), alike.red.filter((column) => !column.endsWith('_ns') && !(column === 'states' && alike.states === 'slower'))]);
  await page.click('#functions [data-value="new"]');
  same('the new ones can be had alone', ['added'], await page.value("[...document.querySelectorAll('#functions tbody tr')].map((one) => one.children[0].textContent)"));
  await page.click('#functions [data-value="all"]');
}

async function contexts(page) {
  await page.click('#flame [data-value="calls"]');
  check(await page.until(`(${box('b', '+ added')}) !== null`), 'the context tree marks what is new');
  check(red(await page.value(box('b', '+ added'))) && green(await page.value(box('a', '+ removed'))), 'in red, and what is gone in green');
  check(red(await page.value(box('b', '▲ busier'))) && red(await page.value(box('a', '▼ busier'))), 'and what is called more');
  const alike = await page.value(box('b', 'alike'));
  check(alike && alike.hue === 220, 'what is the same is grey', alike);
  await page.click("[...document.querySelectorAll('#flame-b-chart g')].find((one) => one.getAttribute('name') === '▲ busier')?.querySelector('rect')");
  check(await page.until(`(${box('a', '▼ busier')})?.width > 300 && (${box('b', '▲ busier')})?.width > 300`), 'both zoom together');
  await page.click("[...document.querySelectorAll('#flame button')].find((one) => one.textContent === 'Whole run')");
  check(await page.until(`(${box('a', '▼ busier')})?.width < 300 && (${box('b', '▲ busier')})?.width < 300`), 'and back');
}

async function others(page) {
  const lines = await page.value("Object.fromEntries([...document.querySelectorAll('#summary .pairs tbody tr')].map((one) => [one.children[0].textContent, [...one.children].slice(1).map((cell) => cell.textContent)]))");
  const [a, b, difference] = lines.Calls;
  check(digits(b) - digits(a) === digits(difference.split('(')[0]), 'the summary has both and the difference', lines.Calls);
  check(await page.value("document.querySelectorAll('#summary .differs').length > 3"), 'in red');
  check(await page.until("['timeline-canvas-a', 'timeline-canvas-b'].every((id) => Number(document.getElementById(id).dataset.to) > 0)"), 'both timelines are drawn');
  const ends = await page.value("['timeline-canvas-a', 'timeline-canvas-b'].map((id) => document.getElementById(id).dataset.to)");
  check(ends[0] === ends[1], 'on one scale', ends);
  await page.click("[...document.querySelectorAll('#functions tbody a')].find((one) => one.textContent === 'busier')");
  check(await page.until("document.querySelector('#function h3').textContent === 'busier'"), "a function's link goes to it");
  same('its callers are side by side', ['main', 10, 30], (await page.value("[...document.querySelector('#function .callers tbody tr').children].slice(0, 3).map((one) => one.textContent)"))
    .map((one, i) => (i ? digits(one) : one)));
  await page.click('#theme');
  check(await page.value("document.documentElement.dataset.theme === 'dark'"), 'the switch changes the theme');
}

async function narrow() {
  const phone = await browser.page({ width: 390, height: 800 });
  await phone.open(`file://${file}`);
  await phone.until('document.documentElement.dataset.ready');
  same('narrow: the page is as wide as the screen', 390, await phone.value('document.documentElement.scrollWidth'));
  await phone.value(`(() => { // figures as wide as they get, whatever the machine's times were
    for (const row of document.querySelectorAll('#summary .pairs tbody tr'))
      [...row.children].slice(1).forEach((cell, i) => { cell.textContent = ['888,888,888', '888,888,888', '+888,888,888 (+888.8%)'][i]; });
  })()`);
  await phone.value(`(() => { // times as wide as they get
    for (const text of [...document.querySelectorAll('#functions tbody td.second')].map((cell) => cell.firstChild).filter((one) => one && one.nodeType === 3))
      text.data = text.data.replace(/[0-9.]+ (ns|us|ms|s)$/, '888.88 ms');
  })()`);
  const rows = await phone.value("[...document.querySelectorAll('#summary .pairs tr, #functions tbody tr')].filter((one) => one.offsetHeight > 64).map((one) => one.textContent)");
  same('narrow: functions and figures are cards of two lines', [], rows);
  same('narrow: no errors', [], phone.problems);
  await phone.close();
}

try {
  const page = await browser.page();
  const { ready, elements } = await page.openReport(file, browser);
  check(ready && elements <= ELEMENTS_MAX, `opens with at most ${ELEMENTS_MAX} elements`, elements);
  for (const part of [table, contexts, others, narrow]) {
    try {
      await part(page);
    } catch (error) {
      check(false, `${part.name} could be tried`, String(error.stack || error));
    }
  }
  same('asks for nothing but itself', [`file://${file}`], page.requests.map((one) => one.replace(/#.*/, '')).filter((one, i, all) => all.indexOf(one) === i));
  same('no error, no warning in the console', [], page.problems);
} finally {
  await browser.close();
}
