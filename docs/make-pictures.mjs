// README's pictures:
//   node make-pictures.mjs page REPORT.html SECTION[:BUTTON] OUT.png   a section of a report page, in light
//   node make-pictures.mjs serve ADDRESS SECTION HASH OUT.png [CLICK...]   a section of fisql serve's page, at a hash, after clicks
//   node make-pictures.mjs terminal TEXT OUT.svg                      text with ANSI colours as a terminal shows it
import { readFileSync, writeFileSync } from 'node:fs';
import { Browser } from '../tests/report/devtools.mjs';

const WIDE = 1120, HIGH = 760; // px, of a page's picture
const COLUMNS = 118; // of a terminal
const LINE = 17, LETTER = 7.83; // px, of its letters

const page = ([file, section, out]) => shot(`file://${file}`, section, out);
const serve = ([address, section, hash, out, ...clicks]) => shot(address, section, out, hash, clicks);

async function shot(address, section, out, hash = '', clicks = []) {
  const browser = new Browser();
  try {
    const tab = await browser.page({ width: WIDE, height: 1000 });
    await tab.open(address);
    if (!(await tab.until('document.documentElement.dataset.ready'))) throw new Error(`${address} does not open`);
    const [id, button] = section.split(':'); // a button to press, by its value
    if (button) await tab.click(`#${id} [data-value="${button}"]`);
    if (hash) await tab.value(`location.hash = ${JSON.stringify(hash)}`);
    for (const selector of clicks) {
      if (!(await tab.until(`document.querySelector(${JSON.stringify(selector)})`))) throw new Error(`there is no ${selector}`);
      await tab.click(selector);
    }
    await tab.value(`document.getElementById('${id}').scrollIntoView()`);
    await new Promise((done) => setTimeout(done, 800)); // labels come after the boxes
    const box = await tab.value(`(() => { const box = document.getElementById('${id}').getBoundingClientRect();
      return { x: box.left + scrollX, y: box.top + scrollY, width: box.width, height: Math.min(box.height, ${HIGH}) }; })()`);
    const { data } = await tab.send('Page.captureScreenshot', { format: 'png', clip: { ...box, scale: 1 } });
    if (tab.problems.length > 0) throw new Error(tab.problems.join('\n'));
    writeFileSync(out, Buffer.from(data, 'base64'));
  } finally {
    await browser.close();
  }
}

const inks = { 31: '#ff7a70', 32: '#67cf94', 33: '#e8b04a', 34: '#6db3ff', 35: '#d49bff', 36: '#5fd3d3', 90: '#9ba5b7' };
const escaped = (text) => text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter]);

// A line's pieces as tspans, by their colours.
function spans(line) {
  let style = { ink: null, bold: false, dim: false }, used = 0;
  const parts = [];
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part);
    if (codes) {
      for (const code of codes[1].split(';').map(Number)) {
        if (code === 0) style = { ink: null, bold: false, dim: false };
        else if (code === 1) style = { ...style, bold: true };
        else if (code === 2) style = { ...style, dim: true };
        else if (inks[code]) style = { ...style, ink: inks[code] };
      }
    } else if (part) {
      const text = part.slice(0, Math.max(0, COLUMNS - used));
      const ink = style.ink || (style.dim ? '#9ba5b7' : null);
      parts.push(`<tspan${ink ? ` fill="${ink}"` : ''}${style.bold ? ' font-weight="700"' : ''}>${escaped(text)}</tspan>`);
      used += part.length;
    }
  }
  return parts.join('');
}

function terminal([file, out]) {
  const lines = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n');
  const wide = Math.ceil(COLUMNS * LETTER + 32), high = lines.length * LINE + 28;
  const text = lines.map((line, i) => `<text x="16" y="${26 + i * LINE}" xml:space="preserve"${i === 0 ? ' fill="#6db3ff"' : ''}>${spans(line)}</text>`);
  writeFileSync(out, `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}" `
    + `font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13" fill="#e4e8f0">\n`
    + `<rect width="100%" height="100%" rx="8" fill="#12151b"/>\n${text.join('\n')}\n</svg>\n`);
}

const [kind, ...rest] = process.argv.slice(2);
await { page, serve, terminal }[kind](rest);
