// A graph of memories as a picture: each memory as large as it is strong, in the colour of what it was worth, and near
// to what it hangs together with. The places are worked out here, the same each time for the same graph.

import { shape } from "./dom.js";

/** Of more, the strongest are drawn. */
export const NODES_MAX = 300;
/** The strongest are named in the picture, too, as far as no name lies on another. */
const LABELS = 14;
/** Of a name, in the units of a wide picture: its font, its height, and how wide a letter is on average. */
const FONT = 15;
const LABEL_HEIGHT = 17;
const LETTER = 7.5;
/** Pixels of the font, at least: on a narrow screen names are larger in the picture, and fewer. */
const FONT_PX = 11;
const ROUNDS = 220;
const SIZE = 1000;

/** The strongest nodes, and the edges between them. */
export function strongest({ nodes, edges }, most = NODES_MAX) {
  const kept = nodes.toSorted((one, other) => other.salience - one.salience || (one.id < other.id ? -1 : 1)).slice(0, most);
  const places = new Map(kept.map(({ id }, n) => [id, n]));
  const links = edges.flatMap(({ from, to, kind, weight }) => {
    const [a, b] = [places.get(from), places.get(to)];
    return a === undefined || b === undefined || a === b ? [] : [{ a, b, kind, weight }];
  });
  return { nodes: kept, links };
}

/** From one node to the next, as far as there is room. */
const distance = (count) => (SIZE / Math.sqrt(count + 1)) * 0.75;

/** Places in a square of `SIZE`: all push each other away, links pull, and all fall a little to the middle. */
export function layOut(count, links) {
  const places = Array.from({ length: count }, (_, n) => {
    // A sunflower: no two in one place, and nothing left to chance.
    const [far, angle] = [Math.sqrt((n + 0.5) / count) * SIZE * 0.45, n * 2.399963];
    return { x: far * Math.cos(angle), y: far * Math.sin(angle), dx: 0, dy: 0 };
  });
  const ideal = distance(count);
  // What hangs together with nothing stays within the picture: there the push of all the others is as strong as this.
  const fall = count * (ideal / (SIZE * 0.42)) ** 2;
  for (let round = 0; round < ROUNDS; round++) {
    for (const place of places) place.dx = place.dy = 0;
    for (let a = 0; a < count; a++) {
      for (let b = a + 1; b < count; b++) push(places[a], places[b], ideal);
    }
    for (const { a, b } of links) pull(places[a], places[b], ideal);
    const reach = SIZE * 0.08 * (1 - round / ROUNDS);
    for (const place of places) {
      place.dx -= place.x * fall;
      place.dy -= place.y * fall;
      const far = Math.hypot(place.dx, place.dy) || 1;
      place.x += (place.dx / far) * Math.min(far, reach);
      place.y += (place.dy / far) * Math.min(far, reach);
    }
  }
  return places;
}

function push(one, other, ideal) {
  const [x, y] = [one.x - other.x, one.y - other.y];
  const far = Math.max(Math.hypot(x, y), 0.01);
  const force = (ideal * ideal) / far;
  one.dx += (x / far) * force;
  one.dy += (y / far) * force;
  other.dx -= (x / far) * force;
  other.dy -= (y / far) * force;
}

function pull(one, other, ideal) {
  const [x, y] = [one.x - other.x, one.y - other.y];
  const far = Math.max(Math.hypot(x, y), 0.01);
  const force = (far * far) / ideal;
  one.dx -= (x / far) * force;
  one.dy -= (y / far) * force;
  other.dx += (x / far) * force;
  other.dy += (y / far) * force;
}

/** Good, bad, or neither, in a word: colour alone tells nothing. */
export const worth = (valence) => (valence >= 0.5 ? "good" : valence <= -0.5 ? "bad" : "neutral");

/** `room`: the width and the height that there is for it, in pixels. `tell(text, node)`: one is pointed at, or has the focus. */
export function draw(picture, graph, room, tell) {
  const { nodes, links } = strongest(graph);
  const places = layOut(nodes.length, links);
  const xs = places.map(({ x }) => x);
  const ys = places.map(({ y }) => y);
  const [left, top, right, bottom] = [Math.min(...xs) - 60, Math.min(...ys) - 60, Math.max(...xs) + 60, Math.max(...ys) + 60];
  picture.setAttribute("viewBox", [left, top, right - left, bottom - top].join(" "));
  const scale = Math.max(1, (FONT_PX / FONT) * Math.max((right - left) / room.width, (bottom - top) / room.height));
  const [strong, weak] = [nodes[0].salience, nodes.at(-1).salience];
  const ideal = distance(nodes.length);
  const lines = links.map(({ a, b }) => shape("line", { x1: places[a].x, y1: places[a].y, x2: places[b].x, y2: places[b].y }));
  const labels = [];
  const spots = nodes.map((node, n) => {
    const { x, y } = places[n];
    const r = ideal * (0.13 + 0.32 * ((node.salience - weak) / Math.max(strong - weak, 1e-9)));
    const told = `${node.label} (${node.kind}, ${worth(node.valence)}, salience ${node.salience.toFixed(2)})`;
    const spot = shape("g", { class: "memory", "data-worth": worth(node.valence), "data-kind": node.kind, tabindex: "0", role: "img", "aria-label": told },
      shape("title", {}, told), shape("circle", { cx: x, cy: y, r }));
    if (labels.length < LABELS) name(labels, short(node.label), { x, y: y + r + FONT * scale }, { scale, left, right });
    for (const event of ["pointerenter", "focus", "click"]) spot.addEventListener(event, () => tell(told, node));
    return spot;
  });
  picture.replaceChildren(shape("g", { class: "edges" }, ...lines), ...spots, shape("g", { class: "labels", "font-size": FONT * scale }, ...labels.map(({ text, x, y }) => shape("text", { x, y, "aria-hidden": "true" }, text))));
  return { shown: nodes.length, all: graph.nodes.length };
}

/** Says a name once, not over another, and whole. */
function name(labels, text, { x, y }, { scale, left, right }) {
  const half = (text.length * LETTER * scale) / 2;
  const at = Math.min(Math.max(x, left + half), right - half);
  const isInTheWay = (other) => other.text === text || (Math.abs(other.y - y) < LABEL_HEIGHT * scale && Math.abs(other.x - at) < half + (other.text.length * LETTER * scale) / 2);
  if (!labels.some(isInTheWay)) labels.push({ text, x: at, y });
}

const short = (text) => (text.length > 26 ? `${text.slice(0, 25)}…` : text);
