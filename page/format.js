// Numbers and names as people read them.

const timeUnits = [[1e9, 's', 3], [1e6, 'ms', 2], [1e3, 'us', 2]];

export function time(ns) {
  if (ns === null || ns === undefined) return '-';
  for (const [size, unit, digits] of timeUnits) {
    if (Math.abs(ns) >= size) return `${(ns / size).toFixed(digits)} ${unit}`;
  }
  return `${Number.isInteger(ns) ? ns : ns.toFixed(1)} ns`;
}

export function bytes(value) {
  if (value === null || value === undefined) return '-';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export function count(value) {
  if (value === null || value === undefined) return '-';
  return Number.isInteger(value) ? value.toLocaleString('en-US').replaceAll(',', '\u202f') : value.toFixed(2);
}

export function percent(part, whole) {
  if (!whole) return '-';
  const share = (100 * part) / whole;
  return `${share > 0 && share < 0.1 ? '<0.1' : share.toFixed(1)}%`;
}

// 1 call, 2 calls
export const times = (value, noun, plural = `${noun}s`) => `${count(value)} ${value === 1 ? noun : plural}`;

// A time of one call: less than the hooks' cost is about so much, and no nanosecond has decimals.
export function timeACall(ns, doubt) {
  if (Math.abs(ns) < doubt) return `~${Math.round(ns)} ns`;
  return time(Math.abs(ns) < 1000 ? Math.round(ns) : ns);
}

// A sum of times from which the recording's cost is taken out; doubt: how far it may be off.
export const timeWithin = (ns, doubt) => (ns > 0 && ns < doubt ? `~${time(ns)}` : time(ns));

// By the units of a query's columns; doubt: the hooks' cost of a call in ns.
export function byUnit(value, unit, doubt) {
  if (typeof value !== 'number') return value === null ? '-' : String(value);
  if (unit === 'ns') return time(value);
  if (unit === 'ns a call') return timeACall(value, doubt);
  if (unit === 'bytes') return bytes(value);
  if (unit === '%') return `${value.toFixed(1)}%`;
  if (unit === 'id') return String(value);
  return count(value);
}

// Characters that would not be seen, or that would turn the order of others around, made visible: the
// list of cli/out/text.c.
const unseen = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff' +
  '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]', 'gu');
export const visible = (text) =>
  text.replace(unseen, (letter) => `<U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
