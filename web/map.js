// The map: the rooms that the character has seen of the zone it is in, from the server, so that each device shows the
// same. A press on a room beside one's own walks there.

import { button, fill, find, shape } from "./dom.js";

/** From the middle of one room to the next, and the side of a room. */
const CELL = 44;
const SIDE = 26;
/** Rooms across the picture, from near to far; the last shows the whole level. */
const SPANS = [5, 7, 11, 17, Infinity];
const FIRST_SPAN = 1;
/** What is left free around the outermost rooms, in rooms. */
const MARGIN = 0.9;
/** However often one steps into something new, the map is asked for no more often. */
const ASK_EVERY_MS = 700;
const AGAIN_MS = 3000;
/** To the east and to the north. */
const STEPS = { north: [0, 1], east: [1, 0], south: [0, -1], west: [-1, 0] };

export class WorldMap {
  #here = 0;
  #zone = 0;
  #zoneName = "";
  #rooms = new Map();
  /** Of the level that is shown; `null`: the one that one is on. */
  #level = null;
  #span = FIRST_SPAN;
  #timer = 0;
  #asked = 0;
  #failed = false;

  /** `walk(way)` types a way. */
  constructor(walk) {
    this.walk = walk;
    this.picture = find("#map svg");
    fill(find("#map .tools"), [
      button("−", "farther", () => this.#zoom(1)),
      button("+", "nearer", () => this.#zoom(-1)),
      button("▲", "above", () => this.#climb(1)),
      button("▼", "below", () => this.#climb(-1)),
    ]);
    const names = { farther: "Show more of the map", nearer: "Show less of the map", above: "The level above", below: "The level below" };
    for (const [key, name] of Object.entries(names)) this.#tool(key).setAttribute("aria-label", name);
    find("#map").addEventListener("keydown", (event) => {
      const by = { "+": -1, "=": -1, "-": 1 }[event.key];
      if (by && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.#zoom(by);
      }
    });
    new ResizeObserver(() => this.#draw()).observe(this.picture);
  }

  clear() {
    clearTimeout(this.#timer);
    this.#rooms.clear();
    this.#timer = this.#here = this.#zone = 0;
    this.#level = null;
    this.#draw();
  }

  /** One is in a room. What is on the map already is not asked for again. */
  at(vnum) {
    if (vnum !== this.#here) this.#level = null;
    this.#here = vnum;
    this.#draw();
    if (!this.#rooms.has(vnum)) this.#askSoon(ASK_EVERY_MS);
  }

  #askSoon(every) {
    if (this.#timer) return;
    const wait = Math.max(0, this.#asked + every - Date.now());
    this.#timer = setTimeout(() => this.#ask(), wait);
  }

  async #ask() {
    this.#timer = 0;
    this.#asked = Date.now();
    const asked = this.#here;
    try {
      const headers = { Authorization: `Bearer ${sessionStorage.getItem("token")}` };
      const answer = await fetch("/api/v1/map?zone=here", { headers });
      if (!answer.ok) throw new Error(answer.statusText);
      const { room, zone, zones, rooms } = await answer.json();
      if (asked !== this.#here && room !== this.#here) {
        // One has gone on meanwhile.
        if (!this.#rooms.has(this.#here)) this.#askSoon(ASK_EVERY_MS);
        if (zone !== this.#zone && this.#zone) return;
      }
      this.#failed = false;
      this.#zone = zone;
      this.#zoneName = zones.find(({ number }) => number === zone)?.name ?? "";
      this.#rooms = new Map(rooms.map((one) => [one.vnum, one]));
    } catch {
      this.#failed = true;
      this.#askSoon(AGAIN_MS);
    }
    this.#draw();
  }

  #tool = (key) => find(`#map .tools [data-key="${key}"]`);

  #zoom(by) {
    this.#span = Math.min(SPANS.length - 1, Math.max(0, this.#span + by));
    this.#draw();
  }

  #climb(by) {
    const levels = this.#levels();
    const at = levels.indexOf(this.#shown());
    this.#level = levels[at + by] ?? this.#shown();
    this.#draw();
  }

  /** From the lowest to the highest. */
  #levels() {
    return [...new Set([...this.#rooms.values()].map(({ coords }) => coords[2]))].sort((one, other) => one - other);
  }

  #own = () => this.#rooms.get(this.#here);

  #shown() {
    return this.#level ?? this.#own()?.coords[2] ?? 0;
  }

  #draw() {
    const own = this.#own();
    const level = this.#shown();
    const rooms = [...this.#rooms.values()].filter(({ coords }) => coords[2] === level);
    const levels = this.#levels();
    find("#map").hidden = !this.#rooms.size && !this.#failed;
    this.#tool("nearer").disabled = this.#span === 0;
    this.#tool("farther").disabled = this.#span === SPANS.length - 1;
    this.#tool("above").disabled = level >= levels.at(-1);
    this.#tool("below").disabled = level <= levels[0];
    for (const key of ["above", "below"]) this.#tool(key).hidden = levels.length < 2;
    this.#tell(own, rooms, level);
    this.#frame(rooms, own);
    const places = new Map(rooms.map((room) => [String(room.coords.slice(0, 2)), room]));
    const beside = new Map((own?.exits ?? []).filter(({ to }) => to !== null && to !== this.#here).map(({ to, direction }) => [to, direction]));
    const lines = rooms.flatMap((room) => this.#ways(room, places));
    // Those that one can go to come last, and so are above all else, in the order of the ways.
    const order = [...beside.keys()];
    rooms.sort((one, other) => order.indexOf(one.vnum) - order.indexOf(other.vnum));
    fill(this.picture, [...lines, ...rooms.map((room) => this.#room(room, beside.get(room.vnum)))]);
  }

  #tell(own, rooms, level) {
    const count = rooms.length === 1 ? "1 room seen" : `${rooms.length} rooms seen`;
    const height = own ? level - own.coords[2] : 0;
    const where = height ? `, ${Math.abs(height)} ${height > 0 ? "up" : "down"} from you` : "";
    const told = this.#failed ? "The map is not to be had just now." : `${count}${where}`;
    find("#map h2").textContent = this.#zoneName || "Map";
    find("#map .told").textContent = told;
    const ways = (own?.exits ?? []).map(({ direction, to, door }) => {
      const name = to === null ? "not seen yet" : this.#rooms.get(to)?.name ?? "another part of the world";
      return `${direction}${door ? " by a door" : ""}: ${name}`;
    });
    const here = own ? `You are in ${own.name}. ${ways.join("; ")}.` : "You do not see where you are.";
    this.picture.setAttribute("aria-label", `Map of ${this.#zoneName || "the zone"}, ${told}. ${here}`);
  }

  /** Which part is to be seen: around oneself, or the whole level. */
  #frame(rooms, own) {
    const { clientWidth, clientHeight } = this.picture;
    const ratio = clientWidth ? clientHeight / clientWidth : 0.75;
    const [columns, rows] = [0, 1].map((axis) => rooms.map(({ coords }) => coords[axis]));
    let across = SPANS[this.#span];
    if (across === Infinity) {
      const wide = (values) => (values.length ? Math.max(...values) - Math.min(...values) : 0) + 2 * MARGIN;
      across = Math.max(SPANS[0], wide(columns), wide(rows) / ratio);
    }
    const [x, y] = [centre(own?.coords[0], columns, across), centre(own?.coords[1], rows, across * ratio)];
    const [width, height] = [across * CELL, across * CELL * ratio];
    this.picture.setAttribute("viewBox", [x * CELL - width / 2, -y * CELL - height / 2, width, height].join(" "));
  }

  /** The ways out of a room: lines under the rooms. Of two rooms that lead to each other the lower number draws it. */
  #ways(room, places) {
    const [x, y] = [room.coords[0] * CELL, -room.coords[1] * CELL];
    return room.exits.flatMap(({ direction, to, door }) => {
      const step = STEPS[direction];
      const other = this.#rooms.get(to);
      if (!step) return [];
      const [dx, dy] = [step[0] * CELL, -step[1] * CELL];
      if (!other || other.coords[2] !== room.coords[2]) {
        const kind = to === null ? "unseen" : "away";
        return [shape("line", { class: `way ${kind}`, x1: x, y1: y, x2: x + dx * 0.66, y2: y + dy * 0.66 })];
      }
      const back = other.exits.find((exit) => exit.to === room.vnum);
      if (other === room || (back && other.vnum < room.vnum)) return [];
      const [tox, toy] = [other.coords[0] * CELL, -other.coords[1] * CELL];
      const isStraight = Math.sign(tox - x) === Math.sign(dx) && Math.sign(toy - y) === Math.sign(dy) && (x === tox || y === toy);
      const line = this.#line([x, y], [tox, toy], isStraight && isFree(room.coords, other.coords, places));
      line.setAttribute("class", isStraight ? "way" : "way bent");
      if (!door && !back?.door) return [line];
      const [mx, my] = isStraight ? [(x + tox) / 2, (y + toy) / 2] : [x + dx * 0.42, y + dy * 0.42];
      const across = dx ? { width: 5, height: 12 } : { width: 12, height: 5 };
      return [line, shape("rect", { class: "door", x: mx - across.width / 2, y: my - across.height / 2, rx: 1, ...across })];
    });
  }

  /** Straight, or around what lies between. */
  #line([x, y], [tox, toy], isFree) {
    if (isFree) return shape("path", { d: `M${x} ${y}L${tox} ${toy}` });
    const [cx, cy] = [(x + tox) / 2 + (toy - y) * 0.18, (y + toy) / 2 - (tox - x) * 0.18];
    return shape("path", { d: `M${x} ${y}Q${cx} ${cy} ${tox} ${toy}` });
  }

  #room(room, way) {
    const [x, y] = [room.coords[0] * CELL, -room.coords[1] * CELL];
    const isHere = room.vnum === this.#here;
    const box = shape("rect", { x: x - SIDE / 2, y: y - SIDE / 2, width: SIDE, height: SIDE, rx: 6 });
    const terrain = room.terrain.replaceAll("_", " ");
    const children = [shape("title", {}, `${room.name} (${terrain})${isHere ? ": you are here" : way ? `: ${way}` : ""}`), box];
    const leads = (direction) => room.exits.some((exit) => exit.direction === direction);
    if (leads("up")) children.push(shape("path", { class: "mark", d: `M${x - 4} ${y - 4}l4 -5l4 5z` }));
    if (leads("down")) children.push(shape("path", { class: "mark", d: `M${x - 4} ${y + 4}l4 5l4 -5z` }));
    if (isHere) children.push(shape("circle", { class: "you", cx: x, cy: y, r: leads("up") || leads("down") ? 3.5 : 6 }));
    const attributes = { class: isHere ? "room here" : "room", "data-terrain": room.terrain };
    if (!way) return shape("g", attributes, ...children);
    const group = shape("g", { ...attributes, class: "room beside", role: "button", tabindex: "0", "data-key": way, "aria-label": `${way}: ${room.name}` }, ...children);
    group.addEventListener("click", () => this.walk(way));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.walk(way);
    });
    return group;
  }
}

/** The middle of the picture on one axis: oneself, but nothing that is empty where there is more to see. */
function centre(own, values, wide) {
  if (!values.length) return own ?? 0;
  const [first, last] = [Math.min(...values) - MARGIN, Math.max(...values) + MARGIN];
  if (last - first <= wide) return (first + last) / 2;
  return Math.min(last - wide / 2, Math.max(first + wide / 2, own ?? (first + last) / 2));
}

/** Whether no room lies between two that are on one line. */
function isFree([x, y], [tox, toy], places) {
  const [dx, dy] = [Math.sign(tox - x), Math.sign(toy - y)];
  for (let [ax, ay] = [x + dx, y + dy]; ax !== tox || ay !== toy; ax += dx, ay += dy) {
    if (places.has(`${ax},${ay}`)) return false;
  }
  return true;
}
