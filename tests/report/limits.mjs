// Prints what a page's table of functions says of times in which recording was restricted: node limits.mjs PAGE.html
import { Browser } from './devtools.mjs';

const browser = new Browser();
try {
  const page = await browser.page();
  await page.open(`file://${process.argv[2]}`);
  await page.until('document.documentElement.dataset.ready');
  console.log(await page.value("[...document.querySelectorAll('#functions .left-out')].map((one) => one.textContent).join('\\n')"));
} finally {
  await browser.close();
}
