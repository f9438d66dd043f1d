// Opens a page in a real browser: node opens.mjs [--foreign] REPORT.html WHAT [EXPRESSION...]
// Checks that it opens with at most 3 s of processor time, without an error, is at most 5 MB, and that each expression
// holds in the page. Prints `ok - what` or `not ok - what`. How long another program's page draws (--foreign) is not
// our matter.
import { statSync } from 'node:fs';
import { checks } from './checks.mjs';
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
  const before = browser.processorSeconds();
  await page.open(`file://${file}`);
  const ready = await page.until('document.documentElement.dataset.ready', 20000);
  await page.drawn();
  const took = browser.processorSeconds() - before;
  if (foreign) check(ready, 'the page opens', took);
  else check(ready && took <= 3, 'the page opens with at most 3 s of processor time', took);
  console.log(`    ${size} bytes, open after ${took} s of processor time`);
  for (const expression of expressions) check(await page.until(expression), expression, await page.value('document.body.innerText.slice(0, 300)'));
  check(page.problems.length === 0, 'no error in the console', page.problems);
} finally {
  await browser.close();
}
