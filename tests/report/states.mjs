// Prints what a page of two runs says of each function, as a Python list of pairs, by name:
// node states.mjs DIFF.html
import { Browser } from './devtools.mjs';

const browser = new Browser();
try {
  const page = await browser.page();
  await page.open(`file://${process.argv[2]}`);
  await page.until('document.documentElement.dataset.ready');
  const rows = await page.value("[...document.querySelectorAll('#functions tbody tr')].map((one) => [one.children[0].textContent, one.children[2].textContent])");
  rows.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  console.log(`[${rows.map(([name, change]) => `('${name}', '${change}')`).join(', ')}]`);
} finally {
  await browser.close();
}
