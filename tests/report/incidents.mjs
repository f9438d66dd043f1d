// Incidents in the report page: node incidents.mjs REPORT.html EXPECTED.json
// EXPECTED has what the lines are to say, in order, and how many more there are.
import { readFileSync } from 'node:fs';
import { Browser } from './devtools.mjs';

const [file, expectedFile] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expectedFile, 'utf8'));
const browser = new Browser();

function check(good, what, detail) {
  console.log(`${good ? 'ok' : 'not ok'} - report page: ${what}`);
  if (!good) console.log(`    ${JSON.stringify(detail)}`);
}

try {
  const page = await browser.page();
  await page.open(`file://${file}`);
  await page.until('document.documentElement.dataset.ready');
  const shown = await page.value("[...document.querySelectorAll('#summary .incidents li')].map((one) => one.textContent)");
  check(shown.length === expected.lines.length && expected.lines.every((line, i) => shown[i].startsWith(line)), 'incidents, a line each', shown);
  const words = await page.value("document.querySelector('#summary .incidents')?.textContent || ''");
  check(expected.lines.length === 0 ? words === '' : words.includes(expected.words), 'how many, and where to ask more', words);
  check(await page.value("document.querySelectorAll('#summary .incidents img, #summary .incidents script').length") === 0, 'their text is no markup');
  check(page.problems.length === 0, 'no error, no warning in the console', page.problems);
} finally {
  await browser.close();
}
