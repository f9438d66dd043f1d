// Incidents in the report page: node incidents.mjs REPORT.html EXPECTED.json
// EXPECTED has what the lines are to say, in order, and how many more there are.
import { checks, given } from './checks.mjs';
import { Browser } from './devtools.mjs';

const { file, expected } = given();
const { check } = checks('report page');
const browser = new Browser();

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
