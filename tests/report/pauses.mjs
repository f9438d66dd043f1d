// Pauses in the report page: node pauses.mjs REPORT.html EXPECTED.json
// EXPECTED has the id of a paused function, the words on it, and each function's processor time in us, without pauses.
import { checks, given } from './checks.mjs';
import { Browser } from './devtools.mjs';

const { file, expected } = given();
const { check } = checks('report page');
const browser = new Browser();
const units = { ns: 1e-3, us: 1, µs: 1, ms: 1e3, s: 1e6 };

try {
  const page = await browser.page();
  await page.open(`file://${file}`);
  await page.value(`location.hash = '#function-${expected.id}'`);
  await page.until(`document.querySelector('#function-${expected.id} h3')`);
  const figures = await page.value("document.querySelector('#function .figures').textContent");
  check(figures.includes(expected.words), 'a function says how long it was paused', figures);
  // all of the timeline as a range
  await page.value("document.getElementById('timeline-canvas').scrollIntoView({ block: 'center' })");
  await page.drawn();
  const box = await page.value("(() => { const box = document.getElementById('timeline-canvas').getBoundingClientRect(); return [box.left, box.right, box.top + 20]; })()");
  await page.mouse('mousePressed', box[0] + 1, box[2]);
  await page.mouse('mouseMoved', (box[0] + box[1]) / 2, box[2]);
  await page.mouse('mouseMoved', box[1] - 1, box[2]);
  await page.mouse('mouseReleased', box[1] - 1, box[2]);
  await page.drawn();
  const rows = await page.value("[...document.querySelectorAll('#timeline .range table:first-child tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))");
  for (const [name, us] of Object.entries(expected.own)) {
    const row = rows.find((one) => one[0] === name);
    const [number, unit] = row ? row[1].replace('\u00a0', ' ').split(' ') : [0, 'us'];
    const shown = Number(number) * units[unit];
    check(Math.abs(shown - us) <= 0.05 * us + 20, `the range's time of ${name} is without pauses`, { us, rows });
  }
  check(page.problems.length === 0, 'no error, no warning in the console', page.problems);
} finally {
  await browser.close();
}
