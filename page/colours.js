// The fill of a function's boxes in the flame graph and the timeline: functions of one file have hues
// beside each other; where a run has few files, each function has a hue of its own. Libraries are grey.
import { isDark } from './dom.js';

const FILES_FEW = 5;
const GOLDEN = 137.508; // degrees: neighbouring numbers get hues far apart

// Of the dark theme: the luminance at which its text has a contrast of 4.5 (WCAG).
const DARK_MOST = 0.139;

function luminance(hue, saturation, lightness) {
  const s = saturation / 100, l = lightness / 100;
  const [red, green, blue] = [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// A fill of the dark theme, as light as its text allows: green and yellow look lighter than blue does.
export function darkFill(hue, saturation, lightness, below = 0) {
  let most = lightness;
  while (most > 16 && luminance(hue, saturation, most) > DARK_MOST) most--;
  return `hsl(${hue} ${saturation}% ${most - below}%)`;
}

export function fillOf(model, functionId) {
  if (!model.fills) {
    model.fills = new Map();
    model.hueByFile = new Set(model.functions.filter((one) => one.own).map((one) => one.file)).size >= FILES_FEW;
  }
  const key = functionId * 2 + (isDark() ? 1 : 0);
  if (functionId < 0) return isDark() ? '#3a4150' : '#e3e6ec';
  if (!model.fills.has(key) && !model.isOwn(functionId)) { // libraries are of one colour
    const shade = (functionId * 5) % 8;
    model.fills.set(key, isDark() ? `hsl(215 12% ${30 + shade}%)` : `hsl(215 18% ${80 + shade}%)`);
  }
  if (!model.fills.has(key)) {
    const known = model.named.get(functionId);
    const file = known && known.file !== null ? known.file : 0;
    const hue = Math.round(model.hueByFile ? file * GOLDEN + ((functionId * 5) % 24) : functionId * GOLDEN) % 360;
    const shade = (functionId * 7) % 12;
    model.fills.set(key, isDark() ? darkFill(hue, 38, 45, 11 - shade) : `hsl(${hue} 62% ${71 + shade}%)`);
  }
  return model.fills.get(key);
}
