// A function's arguments and results in the report page: node values.mjs REPORT.html EXPECTED.json
// EXPECTED has the function's id, its parameters as rows of texts, and the number of points of its plot.
// With PICTURE.png as a third argument also takes a picture of that part of the page.
import { writeFileSync } from 'node:fs';
import { checks, given } from './checks.mjs';
import { Browser } from './devtools.mjs';

const { file, expected, more: [picture] } = given();
const { same } = checks('report page');
const browser = new Browser();

try {
  const page = await browser.page();
  await page.open(`file://${file}`);
  await page.value(`location.hash = '#function-${expected.id}'`);
  await page.until(`document.querySelector('#function-${expected.id} h3')`);
  await page.drawn();
  same('a function with its parameters and their commonest values', expected.parameters,
    await page.value("[...document.querySelectorAll('.values tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))"));
  same('its time by each integer argument', expected.points,
    await page.value("[...document.querySelectorAll('.scatter')].map((plot) => plot.querySelectorAll('.point').length)"));
  same('the plot holds its points', true, await page.value(`[...document.querySelectorAll('.scatter .point')].every((point) => {
    const box = point.getBoundingClientRect(), around = point.closest('svg').getBoundingClientRect();
    return box.left >= around.left && box.right <= around.right && box.top >= around.top && box.bottom <= around.bottom; })`));
  same('its slowest call as text', expected.slowest, await page.value("document.querySelector('.extreme code')?.textContent"));
  await page.click("[...document.querySelectorAll('#function button')].find((one) => one.textContent === 'Longest call in the timeline')");
  same('the timeline tells what its chosen call was passed and returned', expected.slowest,
    await page.value(`document.querySelector('#timeline .focus').textContent.slice(0, ${expected.slowest.length})`));
  const canvas = await page.value("(() => { const box = document.getElementById('timeline-canvas').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; })()");
  let tips = [];
  for (let y = 4; y < canvas[3]; y += 6) {
    await page.mouse('mouseMoved', canvas[0] + canvas[2] * 0.6, canvas[1] + y, { button: 'none' });
    tips.push(await page.value("document.getElementById('tip')?.hidden === false && [...document.querySelectorAll('#tip strong, #tip code')].map((one) => one.textContent).join('')"));
  }
  same('and its tooltip, too', true, tips.includes(expected.slowest), tips);
  same('nothing of a function without values', 0, await page.value(`(async () => { location.hash = '#function-${expected.without}';
    await new Promise((done) => setTimeout(done, 300)); return document.querySelectorAll('.values, .scatter').length; })()`));
  same('no error, no warning in the console', [], page.problems);
  if (picture) {
    await page.value(`location.hash = '#function-${expected.id}'`);
    await page.until("document.querySelector('.values')");
    await page.value("document.querySelector('.values').scrollIntoView()");
    await page.drawn();
    writeFileSync(picture, Buffer.from((await page.send('Page.captureScreenshot', { format: 'png' })).data, 'base64'));
  }
} finally {
  await browser.close();
}
