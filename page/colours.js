// The fill of a function's boxes in the flame graph and the timeline: functions of one file have hues
// beside each other; where a run has few files, each function has a hue of its own. Libraries are grey.
import { isDark } from './dom.js';

const FILES_FEW = 5;
const GOLDEN = 137.508; // degrees: neighbouring numbers get hues far apart

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
    model.fills.set(key, isDark() ? `hsl(${hue} 38% ${34 + shade}%)` : `hsl(${hue} 62% ${71 + shade}%)`);
  }
  return model.fills.get(key);
}
