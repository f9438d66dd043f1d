// Opens a report page in a real browser: node opens.mjs REPORT.html WHAT [EXPRESSION...]
// Checks that it opens within 3 s without an error and is at most 5 MB, and that each expression
// holds in the page. Prints `ok - what` or `not ok - what`.
import { statSync } from 'node:fs';
import { Browser } from './devtools.mjs';

const [file, what, ...expressions] = process.argv.slice(2);
const browser = new Browser();
function check(good, words, detail) {
  console.log(`${good ? 'ok' : 'not ok'} - ${what}: ${words}`);
  if (!good) console.log(`    ${JSON.stringify(detail)}`);
}
try {
  const size = statSync(file).size;
  check(size <= 5 * 1024 * 1024, 'the page is at most 5 MB', size);
  const page = await browser.page();
  const begun = Date.now();
  await page.open(`file://${file}`);
  const ready = await page.until('document.documentElement.dataset.ready', 20000);
  await page.drawn();
  const took = Date.now() - begun;
  check(ready && took <= 3000, 'the page opens within 3 s', took);
  console.log(`    ${size} bytes, open after ${took} ms`);
  for (const expression of expressions) check(await page.until(expression, 3000), expression, await page.value('document.body.innerText.slice(0, 300)'));
  check(page.problems.length === 0, 'no error in the console', page.problems);
} finally {
  await browser.close();
}
