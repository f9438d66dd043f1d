// The flame graph's boxes: where each goes, and drawing them as SVG. Boxes narrower than about a pixel are
// not drawn, and the picture ends with the lowest box that is.
import { replace, svg } from './dom.js';
import { fitted } from './words.js';

export const ROW = 20; // px
const LEAST = 1.2; // px, of a box
const LETTERS = 22; // px, of a box with a name

// Boxes {node, x, width, row, above} of the tree zoomed to one of its nodes, whose ancestors are as
// wide as the picture; callers: a tree drawn upwards from the same root (sandwich).
export function boxesOf(tree, zoomed, valueOf, width, callers) {
  const boxes = [];
  const grow = (root, firstRow, direction, above) => {
    const scale = width / Math.max(1, valueOf(root));
    const waiting = [{ node: root, x: 0, row: firstRow }];
    while (waiting.length > 0) {
      const { node, x, row } = waiting.pop();
      boxes.push({ node, x, width: valueOf(node) * scale, row, above });
      let left = x;
      const children = node.children.filter((one) => valueOf(one) * scale >= LEAST).sort((a, b) => valueOf(b) - valueOf(a));
      for (const one of children) {
        waiting.push({ node: one, x: left, row: row + direction });
        left += valueOf(one) * scale;
      }
    }
  };
  if (callers) {
    grow(callers, 0, -1, true);
    boxes.shift(); // the function itself is drawn with its callees
  }
  const ancestors = [];
  for (let at = zoomed.parent; at; at = at.parent) ancestors.unshift(at);
  ancestors.forEach((node, row) => boxes.push({ node, x: 0, width, row, above: false, around: true }));
  grow(zoomed, ancestors.length, 1, false);
  const top = Math.min(0, ...boxes.map((box) => box.row));
  for (const box of boxes) box.row -= top;
  return boxes;
}

// look: {name(node), fill(node, found), found(node), waits(node): the part of it that is waiting}
export function drawBoxes(element, boxes, width, look) {
  const high = (boxes.reduce((most, box) => Math.max(most, box.row), 0) + 1) * ROW;
  const groups = boxes.map((box) => {
    const name = look.name(box.node);
    const across = Math.max(0.5, box.width - 0.6);
    box.rect = svg('rect', { width: across.toFixed(2), height: ROW - 1, fill: look.fill(box.node, look.found(box.node)) });
    const text = box.width > LETTERS ? fitted(name, box.width - 8) : '';
    const waits = look.waits ? look.waits(box.node) * across : 0;
    box.group = svg('g', { name, class: box.around && 'around', transform: `translate(${box.x.toFixed(2)} ${box.row * ROW})` }, box.rect,
      waits > 1 && svg('rect', { class: 'waits', y: ROW - 4, width: waits.toFixed(2), height: 3 }),
      text && svg('text', { x: 4, y: 14 }, text));
    return box.group;
  });
  replace(element, svg('svg', { width, height: high, viewBox: `0 0 ${width} ${high}` }, groups));
}
