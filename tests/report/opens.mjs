// Opens a page in a real browser: node opens.mjs [--foreign] PAGE.html WHAT [EXPRESSION...]
// Checks that it opens, is at most 5 MB and ELEMENTS_MAX elements, makes no error, and that each expression holds in the
// page. Prints `ok - what` or `not ok - what`. How much another program's page draws (--foreign) is not our matter.
import { statSync } from 'node:fs';
import { checks, ELEMENTS_MAX } from './checks.mjs';
import { Browser } from './devtools.mjs';

const words = process.argv.slice(2);
const foreign = words[0] === '--foreign';
const [file, what, ...expressions] = words.slice(foreign ? 1 : 0);
const { check } = checks(what);
const browser = new Browser();
try {
  const size = statSync(file).size;
  check(size <= 5 * 1024 * 1024, 'the page is at most 5 MB', size);
  const page = await browser.page();
  const { ready, elements, seconds } = await page.openReport(file, browser);
  check(ready, 'the page opens');
  if (!foreign) check(elements <= ELEMENTS_MAX, `the page has at most ${ELEMENTS_MAX} elements`, elements);
  console.log(`    ${size} bytes, ${elements} elements, open after ${seconds.toFixed(2)} s of processor time`);
  for (const expression of expressions) check(await page.until(expression), expression, await page.value('document.body.innerText.slice(0, 300)'));
  check(page.problems.length === 0, 'no error in the console', page.problems);
} finally {
  await browser.close();
}
