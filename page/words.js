// Names fitted into a width: whole, or without what says least (parameters, template arguments, the
// namespaces around it), or cut where a word ends, never within one.
const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
let context = null;
const widths = new Map(); // of letters, px

export function widthOf(text) {
  if (!context) {
    context = document.createElement('canvas').getContext('2d');
    context.font = FONT;
  }
  let sum = 0;
  for (const letter of text) {
    let width = widths.get(letter);
    if (width === undefined) {
      width = context.measureText(letter).width;
      widths.set(letter, width);
    }
    sum += width;
  }
  return sum;
}

const operators = /operator\s*(\(\)|<<=?|>>=?|<=>|<=|>=|->\*?|<|>|\[\])/g;

// Without what stands in brackets, and without a return type: "void sort<int*>(int*, int*)" is "sort".
export function bare(name) {
  const signs = [];
  const text = name.replace(operators, (whole, sign) => `operator\u0001${signs.push(sign) - 1}\u0001`).replace(/(\)| )const&?$/, '$1').trim();
  let depth = 0, out = '';
  for (const letter of text) {
    if (letter === '<' || letter === '(') depth++;
    if (depth === 0) out += letter;
    if (letter === '>' || letter === ')') depth--;
  }
  out = out.trim().replace(/^::|::$/g, '');
  if (depth !== 0 || !out) return name;
  if (!/operator |^\(/.test(out)) out = out.slice(out.lastIndexOf(' ') + 1);
  return out.replace(/\u0001(\d+)\u0001/g, (whole, i) => signs[i]);
}

const lastPart = (name) => name.slice(name.lastIndexOf('::') + 1).replace(/^:/, '');

// The longest start of it that ends where a word does and has room beside an ellipsis.
function cut(name, width) {
  let best = '';
  const ends = /[_:.\s/-]+|(?<=[a-z0-9])(?=[A-Z])/g;
  for (let found = ends.exec(name); found; found = ends.exec(name)) {
    if (found.index > 0) {
      const start = `${name.slice(0, found.index)}…`;
      if (widthOf(start) > width) break;
      best = start;
    }
    if (found[0] === '') ends.lastIndex++;
  }
  return best;
}

// The name as far as it fits into so many pixels; '' where no word of it does.
export function fitted(name, width) {
  if (widthOf(name) <= width) return name;
  const plain = bare(name);
  if (widthOf(plain) <= width) return plain;
  const last = lastPart(plain);
  if (widthOf(last) <= width) return last;
  return cut(last, width);
}

// A text that is no function's name.
export const fittedText = (text, width) => (widthOf(text) <= width ? text : cut(text, width));

// A text for a line of so many letters, cut between words.
export function sentence(text, letters) {
  if (text.length <= letters) return text;
  const start = text.slice(0, letters + 1);
  const end = start.search(/[\s,;]\S*$/);
  return end > 0 ? `${start.slice(0, end)} …` : '…';
}
