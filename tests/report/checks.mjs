// What the tests of pages share: the files that they are given, and the lines that tests/run counts.
import { readFileSync } from 'node:fs';

// What a page draws at once, whatever the size of the run. Every element costs the browser's layout time.
export const ELEMENTS_MAX = 8000;

// node TEST.mjs PAGE.html EXPECTED.json MORE...
export function given() {
  const [file, expected, ...more] = process.argv.slice(2);
  return { file, expected: JSON.parse(readFileSync(expected, 'utf8')), more };
}

// Prints `ok - page: what` or `not ok - page: what`, and what there is to see where it is not ok.
export function checks(page) {
  const check = (good, what, detail) => {
    console.log(`${good ? 'ok' : 'not ok'} - ${page}: ${what}`);
    if (!good && detail !== undefined) console.log(`    ${JSON.stringify(detail)}`);
  };
  const same = (what, wanted, actual, more) => check(JSON.stringify(wanted) === JSON.stringify(actual), what, { wanted, actual, more });
  return { check, same };
}
