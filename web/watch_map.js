// The map of a zone with those who are in it: people round, agents with corners, so that colour alone tells nothing.

import { alike, counted } from "./alike.js";
import { button, fill, find, make, shape } from "./dom.js";

/** From the middle of one room to the next, and the side of a room. */
const CELL = 64;
const SIDE = 34;
const MARGIN = 0.95;
/** So few rooms are not drawn larger than this, in rooms across. */
const ACROSS_MIN = 7;
/** Where a room is, and the words for it; of several with one look the first stands in the legend. */
const TERRAINS = [
  ["city", "street"], ["inside", "indoors"], ["field", "open land"], ["hills", "open land"], ["forest", "forest"], ["mountain", "mountain"],
  ["water_swim", "water"], ["water_noswim", "water"], ["underwater", "water"],
];
const STEPS = { north: [0, 1], east: [1, 0], south: [0, -1], west: [-1, 0] };
/** What is written, and who stands there, is no smaller than so many pixels however much of the zone is drawn. */
const TEXT_PX = 11;
const TOKEN_PX = 7;
/** Names beside one room; the others are counted. */
const NAMES = 3;
/** Around the middle of a room, where several stand in it. */
const RING = 10;

export class Sky {
  #zone = null;
  #people = [];
  #mobs = [];
  #level = null;
  #chosen = null;
  /** Units of the picture in one pixel. */
  #grain = 1;

  /** `choose(key)`: somebody was pressed. */
  constructor(choose) {
    this.choose = choose;
    this.picture = find("#sky svg");
    fill(find("#sky .tools"), [
      button("▲", "above", () => this.#climb(1)),
      button("▼", "below", () => this.#climb(-1)),
    ]);
    this.#tool("above").setAttribute("aria-label", "The level above");
    this.#tool("below").setAttribute("aria-label", "The level below");
    new ResizeObserver(() => this.#draw()).observe(this.picture);
  }

  /** Another zone, or more of the same. */
  setZone(zone) {
    if (zone?.zone !== this.#zone?.zone) this.#level = null;
    this.#zone = zone;
    this.#draw();
  }

  has(room) {
    return this.#zone?.rooms.some(({ vnum }) => vnum === room) ?? false;
  }

  show(people, mobs, chosen) {
    [this.#people, this.#mobs, this.#chosen] = [people, mobs, chosen];
    this.#draw();
  }

  #tool = (key) => find(`#sky .tools [data-key="${key}"]`);

  #levels() {
    return [...new Set(this.#zone.rooms.map(({ coords }) => coords[2]))].sort((one, other) => one - other);
  }

  #climb(by) {
    const levels = this.#levels();
    this.#level = levels[levels.indexOf(this.#shown()) + by] ?? this.#shown();
    this.#draw();
  }

  /** The level that was asked for, else that of the chosen one, else the one with most people or rooms. */
  #shown() {
    if (this.#level !== null) return this.#level;
    const levelOf = (vnum) => this.#zone.rooms.find((room) => room.vnum === vnum)?.coords[2];
    const chosen = this.#people.find(({ key }) => key === this.#chosen);
    const own = chosen && levelOf(chosen.room);
    if (own !== undefined) return own;
    const weight = (level) => this.#people.filter(({ room }) => levelOf(room) === level).length * 1000 +
      this.#zone.rooms.filter(({ coords }) => coords[2] === level).length;
    return this.#levels().toSorted((one, other) => weight(other) - weight(one))[0] ?? 0;
  }

  #draw() {
    if (!this.#zone) return fill(this.picture, []);
    const level = this.#shown();
    const levels = this.#levels();
    const rooms = this.#zone.rooms.filter(({ coords }) => coords[2] === level);
    find("#sky h2").textContent = this.#zone.name;
    this.#tool("above").disabled = level >= levels.at(-1);
    this.#tool("below").disabled = level <= levels[0];
    find("#sky .tools").hidden = levels.length < 2;
    find("#sky .legend").replaceChildren(...legend(rooms, level, levels, this.#mobs.length));
    this.#frame(rooms);
    const known = new Map(this.#zone.rooms.map((room) => [room.vnum, room]));
    const ways = rooms.flatMap((room) => waysOf(room, known));
    const tokens = rooms.flatMap((room) => this.#tokens(room));
    fill(this.picture, [...ways, ...rooms.map((room) => this.#room(room)), ...tokens]);
  }

  #frame(rooms) {
    const { clientWidth, clientHeight } = this.picture;
    const ratio = clientWidth ? clientHeight / clientWidth : 0.6;
    const span = (axis) => {
      const values = rooms.map(({ coords }) => coords[axis]);
      return [Math.min(...values) - MARGIN, Math.max(...values) + MARGIN];
    };
    const [left, right] = span(0);
    const [bottom, top] = span(1);
    const across = Math.max(ACROSS_MIN, right - left, (top - bottom) / ratio);
    const [x, y] = [(left + right) / 2, (bottom + top) / 2];
    const [width, height] = [across * CELL, across * CELL * ratio];
    this.#grain = clientWidth ? width / clientWidth : 1;
    this.picture.setAttribute("viewBox", [x * CELL - width / 2, -y * CELL - height / 2, width, height].join(" "));
  }

  #room(room) {
    const [x, y] = at(room);
    const mobs = this.#mobs.filter((mob) => mob.room === room.vnum);
    const told = ({ name, hp_percent: hp, fighting }) => `${name}${fighting ? `, fighting, ${hp} %` : ""}`;
    const inside = mobs.length ? `: ${alike(mobs, told).map(({ row, count }) => counted(told(row), count)).join("; ")}` : "";
    const children = [
      shape("title", {}, `${room.name}${inside}`),
      shape("rect", { x: x - SIDE / 2, y: y - SIDE / 2, width: SIDE, height: SIDE, rx: 7 }),
    ];
    if (room.exits.some(({ direction }) => direction === "up")) children.push(shape("path", { class: "mark", d: `M${x + 7} ${y - 9}l4 -5l4 5z` }));
    if (room.exits.some(({ direction }) => direction === "down")) children.push(shape("path", { class: "mark", d: `M${x + 7} ${y + 9}l4 5l4 -5z` }));
    const size = Math.min(Math.max(9, TEXT_PX * this.#grain), SIDE * 0.7);
    if (mobs.length) children.push(shape("text", { class: "mobs", x: x - SIDE / 2 + 4, y: y + SIDE / 2 - 4, "font-size": size }, String(mobs.length)));
    return shape("g", { class: "room", "data-terrain": room.terrain }, ...children);
  }

  /** Those in a room: around its middle where they are several, with their names under it. */
  #tokens(room) {
    const here = this.#people.filter((one) => one.room === room.vnum);
    if (!here.length) return [];
    const [x, y] = at(room);
    const tokens = here.map((one, n) => {
      const angle = (n / here.length) * 2 * Math.PI - Math.PI / 2;
      const [px, py] = here.length === 1 ? [x, y] : [x + RING * Math.cos(angle), y + RING * Math.sin(angle)];
      return this.#token(one, px, py, Math.max(here.length > 4 ? 4.5 : 7, Math.min(TOKEN_PX * this.#grain, SIDE / 2)));
    });
    const names = here.slice(0, NAMES).map(({ name }) => name);
    if (here.length > NAMES) names.push(`and ${here.length - NAMES} more`);
    const size = TEXT_PX * Math.max(0.8, this.#grain);
    const labels = names.map((name, n) => {
      return shape("text", { class: "name", x, y: y + SIDE / 2 + size * (0.95 + n), "font-size": size, "stroke-width": size / 3.5, "aria-hidden": "true" }, name);
    });
    return [...tokens, ...labels];
  }

  #token(one, x, y, size) {
    const body = one.kind === "agent"
      ? shape("path", { d: `M${x} ${y - size * 1.25}L${x + size * 1.25} ${y}L${x} ${y + size * 1.25}L${x - size * 1.25} ${y}Z` })
      : shape("circle", { cx: x, cy: y, r: size });
    const told = `${one.name}, ${one.kind}, level ${one.level}, in ${one.place}${one.fighting ? ", fighting" : ""}`;
    const parts = [shape("title", {}, told)];
    if (one.fighting) parts.push(shape("circle", { class: "fight", cx: x, cy: y, r: size * 1.75 }));
    const token = shape("g", {
      class: "token", "data-kind": one.kind, "data-key": `token-${one.key}`, "data-chosen": String(one.key === this.#chosen),
      "data-linkless": String(one.linkless), role: "button", tabindex: "0", "aria-label": told,
    }, ...parts, body);
    token.addEventListener("click", () => this.choose(one.key));
    token.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.choose(one.key);
    });
    return token;
  }
}

const at = ({ coords }) => [coords[0] * CELL, -coords[1] * CELL];

function legend(rooms, level, levels, mobs) {
  const sign = (kind, word) => {
    const picture = shape("svg", { class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
      shape("g", { class: "token", "data-kind": kind }, kind === "agent" ? shape("path", { d: "M0 -7L7 0L0 7L-7 0Z" }) : shape("circle", { r: 5.5 })));
    return make("span", {}, picture, ` ${word}`);
  };
  const here = new Set(rooms.map(({ terrain }) => terrain));
  const lands = new Map(TERRAINS.filter(([terrain]) => here.has(terrain)).map(([terrain, word]) => [word, terrain]));
  const land = ([word, terrain]) => make("span", {}, shape("svg", { class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    shape("g", { class: "room", "data-terrain": terrain }, shape("rect", { x: -7, y: -7, width: 14, height: 14, rx: 3 }))), ` ${word}`);
  const height = levels.length > 1 ? `. This is floor ${signed(level)}; there are ${signed(levels[0])} to ${signed(levels.at(-1))}` : "";
  const beasts = mobs ? `, ${mobs} ${mobs === 1 ? "mob" : "mobs"} (their number stands in the room)` : "";
  return [sign("agent", "agent"), sign("person", "person"), ...[...lands].map(land), make("span", {}, `${rooms.length} ${rooms.length === 1 ? "room" : "rooms"} known${height}${beasts}`)];
}

const signed = (level) => String(level).replace("-", "−");

/** Lines under the rooms. Of two rooms that lead to each other the lower number draws it. */
function waysOf(room, known) {
  const [x, y] = at(room);
  return room.exits.flatMap(({ direction, to, door }) => {
    const step = STEPS[direction];
    if (!step) return [];
    const other = known.get(to);
    if (!other || other.coords[2] !== room.coords[2]) {
      return [shape("line", { class: "way unseen", x1: x, y1: y, x2: x + step[0] * CELL * 0.5, y2: y - step[1] * CELL * 0.5 })];
    }
    if (other === room || (other.vnum < room.vnum && other.exits.some((exit) => exit.to === room.vnum))) return [];
    const [tox, toy] = at(other);
    const isStraight = (x === tox || y === toy) && Math.abs(tox - x) + Math.abs(toy - y) === CELL;
    const [cx, cy] = [(x + tox) / 2 + (toy - y) * 0.18, (y + toy) / 2 - (tox - x) * 0.18];
    const line = isStraight ? `M${x} ${y}L${tox} ${toy}` : `M${x} ${y}Q${cx} ${cy} ${tox} ${toy}`;
    const parts = [shape("path", { class: isStraight ? "way" : "way bent", d: line })];
    if (door && isStraight) parts.push(shape("rect", { class: "door", x: (x + tox) / 2 - 4, y: (y + toy) / 2 - 4, width: 8, height: 8, rx: 1 }));
    return parts;
  });
}
