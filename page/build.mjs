// Bundles the report page: page.html with the styles and the script, libraries included, cut in two
// halves at the place of the run's data; and the page of `fisql serve`, whose script and style sheet are
// files of their own. Called by bundle.sh: node build.mjs FOLDER NODE_MODULES
//
// The page may load nothing: its Content-Security-Policy names this one script and this one style
// sheet by their hashes and refuses all else.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, modules] = process.argv.slice(2);
const source = path.dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(path.join(modules, '_'))('esbuild');

const common = {
  absWorkingDir: source,
  nodePaths: [modules],
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  legalComments: 'none',
  charset: 'ascii',
  logLevel: 'warning',
};
const bundled = async (entry, options) => esbuild.build({ ...common, entryPoints: [entry], ...options });
const asScript = { format: 'iife', target: 'es2020' }, asStyle = { charset: 'utf8' };

// The licences of the packages that are in the bundle, as their authors wrote them.
function licences(script, style) {
  const found = new Map();
  const inputs = [...Object.keys(script.metafile.inputs), ...Object.keys(style.metafile.inputs)];
  for (const input of inputs) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match && !found.has(match[1])) {
      const home = path.join(modules, match[1]);
      const about = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8'));
      const file = readdirSync(home).find((name) => /^licen[sc]e/i.test(name));
      if (!file) throw new Error(`${match[1]} comes without its licence`);
      const texts = [readFileSync(path.join(home, file), 'utf8').trim()];
      const legal = path.join(modules, '..', `${input.slice(input.indexOf('node_modules/'))}.LEGAL.txt`);
      if (existsSync(legal)) texts.push(readFileSync(legal, 'utf8').trim()); // of what it bundles itself
      const text = texts.join('\n\n');
      found.set(match[1], { name: `${match[1]} ${about.version}`, licence: about.license, text });
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
const escaped = (text) =>
  text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter]);

// {code, css, licences} of a page
async function parts(main, looks) {
  const script = await bundled(main, asScript), style = await bundled(looks, asStyle);
  const list = licences(script, style).map((one) => `<details><summary>${escaped(one.name)} (${escaped(one.licence)})</summary>` +
    `<pre>${escaped(one.text)}</pre></details>`).join('\n');
  return { code: script.outputFiles[0].text.replaceAll('</script', '<\\/script'), css: style.outputFiles[0].text, list };
}

const { code, css, list } = await parts('main.js', 'style.css');
const policy = `default-src 'none'; script-src ${hash(code)}; style-src ${hash(css)}; ` +
  "base-uri 'none'; form-action 'none'";

const page = readFileSync(path.join(source, 'page.html'), 'utf8')
  .replace('@POLICY@', () => policy)
  .replace('@STYLE@', () => css)
  .replace('@LICENCES@', () => list)
  .replace('@SCRIPT@', () => code);
const halves = page.split('@DATA@');
if (halves.length !== 2) throw new Error('page.html must name @DATA@ once');
if (!existsSync(folder)) throw new Error(`${folder} is missing`);
writeFileSync(path.join(folder, 'report_head.html'), halves[0]);
writeFileSync(path.join(folder, 'report_tail.html'), halves[1]);

const served = await parts('serve_main.js', 'serve.css');
writeFileSync(path.join(folder, 'serve.html'), readFileSync(path.join(source, 'serve.html'), 'utf8').replace('@LICENCES@', () => served.list));
writeFileSync(path.join(folder, 'serve.js'), served.code);
writeFileSync(path.join(folder, 'serve.css'), served.css);
