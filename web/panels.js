// What is around the player, from the variables: points, room, people, things. Each button types a command.

import { alike, counted } from "./alike.js";
import { button, fill, find, make } from "./dom.js";

/** What the panels are made from. */
export const VARIABLES = [
  "HEALTH", "MAX_HEALTH", "MANA", "MAX_MANA", "MOVE", "MAX_MOVE", "GOLD", "POSITION", "LEVEL", "EXP", "ROOM_VNUM",
  "ROOM_NAME", "ROOM_EXITS", "ROOM_MOBS", "ROOM_ITEMS", "INVENTORY", "EQUIPMENT", "ROOM_DOORS", "ROOM_PLAYERS",
  "OPPONENT", "GROUP", "AFFECTS", "CONDITIONS",
];
const GAUGES = [["Health", "HEALTH", "MAX_HEALTH"], ["Mana", "MANA", "MAX_MANA"], ["Moves", "MOVE", "MAX_MOVE"]];
/** In the order in which they are read; the style sheet lays them out. */
const WAYS = ["north", "east", "south", "west", "up", "down"];
const LOW = 0.3;

export class Panels {
  vars = {};

  /** `send(line, shown)` types a command and shows it in other words, `begin(text)` puts its beginning into the field. */
  constructor(send, begin) {
    this.send = send;
    this.begin = begin;
  }

  update(changes) {
    Object.assign(this.vars, changes);
    const changed = (...names) => names.some((name) => name in changes);
    if (changed("HEALTH", "MAX_HEALTH", "MANA", "MAX_MANA", "MOVE", "MAX_MOVE", "GOLD", "LEVEL", "EXP", "POSITION")) this.#gauges();
    if (changed("ROOM_NAME", "ROOM_EXITS", "ROOM_DOORS")) this.#room();
    if (changed("ROOM_MOBS", "ROOM_ITEMS", "ROOM_PLAYERS")) this.#here();
    if (changed("OPPONENT")) this.#opponent();
    if (changed("GROUP")) this.#group();
    if (changed("AFFECTS", "CONDITIONS")) this.#affects();
    if (changed("INVENTORY")) this.#carried();
    if (changed("EQUIPMENT")) this.#worn();
  }

  clear() {
    this.vars = {};
  }

  /** What may be typed to mean somebody or something. */
  words() {
    const { ROOM_EXITS = [] } = this.vars;
    return [...this.#rows().map((row) => row.target_string).filter(Boolean), ...ROOM_EXITS];
  }

  /** What one would type to mean what has this id, where it is here. */
  nameOf(id) {
    return this.#rows().find((row) => row.instance_id === id)?.target_string || undefined;
  }

  #rows() {
    const { ROOM_MOBS = [], ROOM_ITEMS = [], ROOM_PLAYERS = [], INVENTORY = [], EQUIPMENT = {} } = this.vars;
    return [...ROOM_MOBS, ...ROOM_PLAYERS, ...ROOM_ITEMS, ...INVENTORY, ...Object.values(EQUIPMENT)];
  }

  #gauges() {
    const bars = GAUGES.filter(([, now]) => now in this.vars).map(([title, now, most]) => bar(title, this.vars[now], this.vars[most]));
    const { LEVEL, EXP, GOLD, POSITION } = this.vars;
    const facts = [["Level", LEVEL], ["Experience", EXP], ["Gold", GOLD], ["", POSITION]];
    const row = facts.filter(([, value]) => value !== undefined).map(([title, value]) => {
      const number = typeof value === "number" ? value.toLocaleString("en") : value;
      return make("span", { class: "fact" }, `${title} ${number}`.trim());
    });
    find("#gauges").replaceChildren(...bars, make("div", { class: "facts" }, ...row));
  }

  #room() {
    const { ROOM_NAME = "", ROOM_EXITS = [], ROOM_DOORS = {} } = this.vars;
    find("#room h2").textContent = ROOM_NAME;
    const ways = WAYS.map((way) => {
      const door = ROOM_DOORS[way];
      const shut = door && door !== "open";
      const line = { closed: `open ${way}`, locked: `unlock ${way}` }[door] ?? way;
      const element = button(way, way, () => this.send(line));
      if (shut) element.append(" ", make("small", {}, door));
      element.disabled = !ROOM_EXITS.includes(way) && !shut;
      return element;
    });
    fill(find("#compass"), ways);
  }

  #here() {
    const { ROOM_MOBS = [], ROOM_ITEMS = [], ROOM_PLAYERS = [] } = this.vars;
    const players = ROOM_PLAYERS.map((row) => {
      const mark = row.agent ? " (agent)" : "";
      return this.#row(row, row.name + mark, "player", ["look", "follow", "consider"], ["tell"]);
    });
    const mobs = alike(ROOM_MOBS, likeness).map(({ row, count }) => {
      const verbs = row.attackable ? ["look", "consider", "kill"] : ["look", "consider"];
      return this.#row(row, counted(row.name, count), row.fighting_me ? "foe" : "mob", verbs);
    });
    const things = alike(ROOM_ITEMS, likeness).map(({ row, count }) => this.#row(row, counted(row.name, count), "thing", ["get", "look"]));
    list("#here", [...players, ...mobs, ...things], "Nobody but you.");
  }

  #carried() {
    const rows = alike(this.vars.INVENTORY ?? [], likeness).map(({ row, count }) => {
      return this.#row(row, counted(row.name, count), "thing", ["look", "wear", "wield", "hold", "eat", "drink", "drop"]);
    });
    list("#carried", rows, "Nothing.");
  }

  #worn() {
    const rows = Object.entries(this.vars.EQUIPMENT ?? {}).map(([slot, row]) => {
      return this.#row({ ...row, slot }, `${slot}: ${row.name}`, "thing", ["remove", "look"]);
    });
    list("#worn", rows, "Nothing.");
  }

  #opponent() {
    const foe = this.vars.OPPONENT;
    find("#opponent").hidden = !foe;
    if (!foe) return;
    const children = [bar(foe.name, foe.condition, 10), button("Flee", "flee", () => this.send("flee"))];
    fill(find("#opponent div"), children);
  }

  #group() {
    const group = this.vars.GROUP ?? [];
    find("#group").hidden = !group.length;
    fill(find("#group ul"), group.map((one) => {
      const notes = [one.leader ? "leads" : "", one.here ? "" : "elsewhere", one.position].filter(Boolean).join(", ");
      return make("li", {}, bar(one.name, one.hp_percent, 100), make("small", {}, notes));
    }));
  }

  #affects() {
    const { AFFECTS = [], CONDITIONS = [] } = this.vars;
    find("#affects").hidden = !AFFECTS.length && !CONDITIONS.length;
    const lasting = AFFECTS.map((row) => make("li", {}, row.hours < 0 ? row.name : `${row.name}, ${row.hours} h`));
    const named = new Set(AFFECTS.flatMap((row) => [row.name, ...row.flags]));
    const other = CONDITIONS.filter((word) => !named.has(word)).map((word) => make("li", {}, word));
    find("#affects ul").replaceChildren(...lasting, ...other);
  }

  /** One row, which opens to its verbs; `begun` are verbs that want more words. */
  #row(row, text, kind, verbs, begun = []) {
    if (!row.target_string) return make("li", { class: kind }, text);
    // Alike things stand in one row, so that stays the same when one of them goes.
    const key = likeness(row);
    // By its id: another like it may have come since the row was made.
    const type = (verb) => this.send(`${verb} ${row.instance_id}`, `${verb} ${row.target_string}`);
    const done = verbs.map((verb) => button(verb, `${key} ${verb}`, () => type(verb)));
    const start = begun.map((verb) => button(`${verb} …`, `${key} ${verb}`, () => this.begin(`${verb} ${row.target_string} `)));
    const more = row.more ? ` and ${row.more} more` : "";
    const summary = make("summary", { "data-key": key }, text + more);
    return make("li", { class: kind }, make("details", { "data-key": key }, summary, make("div", { class: "verbs" }, ...done, ...start)));
  }
}

/**
 * What is the same for who looks on: its name, and how it stands to the player. A player is one of its own, and so is a
 * row that says how many more there are.
 */
const likeness = ({ name, vnum, slot, attackable, fighting, fighting_me, more, instance_id }) => {
  const isAlone = vnum === undefined || more;
  return JSON.stringify([name, vnum, slot, attackable, fighting, fighting_me, isAlone ? instance_id : ""]);
};

function list(panel, rows, nothing) {
  fill(find(`${panel} ul`), rows.length ? rows : [make("li", { class: "none" }, nothing)]);
}

/** How much there is of something, as a bar with its numbers. */
function bar(title, now, most) {
  const share = most > 0 ? Math.min(1, Math.max(0, now / most)) : 0;
  const text = `${title} ${now} / ${most}`;
  const part = make("span", { class: "part" });
  part.style.width = `${share * 100}%`;
  const meter = { role: "meter", "aria-label": title, "aria-valuemin": 0, "aria-valuemax": most, "aria-valuenow": now };
  const kind = title.toLowerCase();
  return make("div", { class: "bar", "data-bar": kind, "data-low": String(share < LOW), ...meter }, part, make("span", { class: "number" }, text));
}
