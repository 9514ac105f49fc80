// The observatory: who is where, as the server tells it, drawn by its parts.

import { button, fill, find, kept, make } from "./dom.js";
import { Stream, ask, login, seriesOf, token } from "./watch_api.js";
import { Chart, costOf } from "./watch_charts.js";
import { Feed, sentence, shownMarks, whatOf } from "./watch_feed.js";
import { Sky } from "./watch_map.js";
import { One, bar } from "./watch_one.js";
import { findPast, linkTo } from "./watch_past.js";

const MAP_AGAIN_MS = 5000;
const CHARTS_AGAIN_MS = 60000;
const CHARTS_REST_MS = 600;
const PLAYING_AGAIN_MS = 15000;

const status = find("#status");
const theme = find("#theme");
const span = find("#span");
const eyes = find("#eyes");

const people = new Map();
const mobs = new Map();
/** The rows of the feed that are shown, so that only what is new is read aloud. */
const feed = new Feed();
/** How many play, seen or not; `null`: nobody has said it yet. */
let playing = null;
let hello = null;
let stream = null;
let zone = kept.get("watch-zone", null);
/** Whether the zone that is shown was chosen, and not only where somebody was. */
let isChosen = zone !== null;
let zoneAsked = 0;
let shownTick = 0;
/** The past that is shown instead of what is now. */
let past = null;
let chartsRest = 0;

const one = new One(show, until, () => Number(span.value));
const sky = new Sky(choose);
const charts = { players: new Chart("Players"), tick: new Chart("Time of a tick"), tokens: new Chart("Tokens of all, hour by hour"), cost: new Chart("Cost of all, hour by hour") };
find("#charts .charts").append(...Object.values(charts).map(({ element }) => element));

/** The end of what charts show; `null`: nobody knows when the moment was. */
function until() {
  return past ? past.at : Date.now();
}

function open() {
  if (past) return past.setZone(zone);
  stream?.close();
  stream = new Stream(hello?.role === "operator" ? zone : null, hear, (text) => (status.textContent = text), refuse);
}

function hear(type, data) {
  if (type === "hello") {
    const wasOperator = hello?.role === "operator";
    hello = data;
    if (zone === null || !hello.zones.some(({ number }) => number === zone)) {
      zone = hello.zones[0]?.number ?? null;
      isChosen = false;
    }
    // Only now it is known that mobs may be asked for.
    if (hello.role === "operator" && !wasOperator) return open();
    loadZone();
    loadCharts();
    loadPlaying();
    return;
  }
  if (data.whole) {
    people.clear();
    mobs.clear();
    feed.clear();
    find("#feed ol").replaceChildren();
  }
  for (const key of data.gone ?? []) people.delete(key);
  for (const being of data.people ?? []) people.set(being.key, being);
  for (const key of data.mobs_gone ?? []) mobs.delete(key);
  for (const mob of data.mobs ?? []) mobs.set(mob.key, mob);
  tell(data.feed ?? []);
  shownTick = data.tick;
  if (!isChosen) follow();
  const isLater = Date.now() - zoneAsked > MAP_AGAIN_MS;
  const unknown = [...people.values()].some((being) => being.zone === zone && !sky.has(being.room));
  if (unknown && isLater) loadZone();
  // The list of zones is told at the beginning: of a new one nobody knew then.
  const isNew = [...people.values()].some((being) => !hello?.zones.some(({ number }) => number === being.zone));
  if (isNew && isLater) {
    zoneAsked = Date.now();
    return open();
  }
  show();
}

/** A moment of the past, which is whole by itself. */
function showThen(then) {
  hello = { role: then.role, delay_ticks: 0, tick_ms: then.tick_ms, zones: then.zones };
  people.clear();
  mobs.clear();
  for (const being of then.people) people.set(being.key, being);
  for (const mob of then.mobs) mobs.set(mob.key, mob);
  const isFirst = shownTick === null;
  shownTick = then.tick;
  if (zone === null || !hello.zones.some(({ number }) => number === zone)) {
    isChosen = false;
    zone = null;
  }
  if (isFirst || zone === null) {
    const busiest = counted();
    turnTo(isChosen ? zone : hello.zones.toSorted((a, b) => (busiest.get(b.number)?.all ?? 0) - (busiest.get(a.number)?.all ?? 0))[0]?.number ?? null);
  }
  if (!isChosen) follow();
  retell();
  show();
  one.refresh();
  if (past.runs) chartsLater();
}

/** While one drags through the past, charts wait until it rests. */
function chartsLater() {
  clearTimeout(chartsRest);
  chartsRest = setTimeout(loadCharts, CHARTS_REST_MS);
}

/** What had happened by then, each a way back to its moment. */
function retell() {
  const rows = shownMarks(past.before()).map((mark) => {
    const entry = button("", `mark-${mark.tick}-${mark.kind}-${mark.key}`, () => past.go(mark.tick));
    entry.append(make("span", {}, sentence(mark)), make("small", {}, ` tick ${mark.tick}`));
    return make("li", { "data-what": whatOf(mark) }, entry);
  });
  fill(find("#feed ol"), rows);
  find("#feed .none").hidden = rows.length > 0;
}

/** While nobody has chosen a zone, the one with most people is shown. */
function follow() {
  const counts = counted();
  const busiest = hello?.zones.toSorted((a, b) => (counts.get(b.number)?.all ?? 0) - (counts.get(a.number)?.all ?? 0))[0];
  if (busiest && counts.get(busiest.number) && !counts.get(zone) && busiest.number !== zone) turnTo(busiest.number);
}

function counted() {
  const counts = new Map();
  for (const { zone: number, kind } of people.values()) {
    const row = counts.get(number) ?? { all: 0, agent: 0, person: 0 };
    row.all += 1;
    row[kind] += 1;
    counts.set(number, row);
  }
  return counts;
}

function turnTo(number) {
  zone = number;
  mobs.clear();
  loadZone();
  if (hello.role === "operator") open();
  else show();
}

async function loadZone() {
  zoneAsked = Date.now();
  if (zone === null) return sky.setZone(null);
  const asked = zone;
  try {
    const part = await ask(`world?zone=${asked}${past ? `&tick=${past.tick}` : ""}`);
    if (asked === zone) sky.setZone(part);
  } catch (error) {
    if (asked === zone && error.status) find("#sky .legend").textContent = error.message;
  }
  show();
}

function refuse(error) {
  status.textContent = error.message;
  if (past) return;
  if (error.status === 401) {
    token.set(null);
    find("#eyes .problem").textContent = error.message;
    eyes.showModal();
  }
}

function choose(key) {
  const being = people.get(key);
  if (!being) return;
  if (being.zone !== zone) {
    isChosen = true;
    turnTo(being.zone);
  }
  one.choose(being);
  show();
}

const plural = (count, word, words = `${word}s`) => `${count} ${count === 1 ? word : words}`;

function show() {
  if (!hello) return;
  showStatus();
  const all = [...people.values()].sort((a, b) => b.level - a.level || a.name.localeCompare(b.name));
  showZones();
  sky.show(all.filter((being) => being.zone === zone), [...mobs.values()], one.key);
  find("#people .told").textContent = toldOf(all);
  fill(find("#people ul"), all.map(personRow));
  const fighting = all.filter((being) => being.fighting);
  fill(find("#fights ul"), fighting.length ? fighting.map(fightRow) : [make("li", { class: "none" }, "Nobody fights.")]);
  one.see(people.get(one.key));
}

/** Whom one sees, and how many play besides, which is no secret. */
function toldOf(all) {
  const seen = `${plural(all.filter(({ kind }) => kind === "agent").length, "agent")}, ${plural(all.filter(({ kind }) => kind === "person").length, "person", "people")}`;
  if (hello.role === "operator") return all.length ? seen : "Nobody is in the world.";
  if (past) return all.length ? seen : "Nobody was here then whom you may watch.";
  const others = playing === null ? "" : playing ? ` ${playing === 1 ? "One plays" : `${playing} play`} here now.` : " Nobody plays here now.";
  const eyes = hello.role === "player" ? " You look with your own eyes: only where you have been. A visitor sees the whole (Look as …)." : "";
  if (all.length) return playing > all.length ? `${seen} to be seen.${others}${eyes}` : seen;
  return `Nobody is here whom you may watch.${others}${playing ? " People are seen who wish it: toggle watchable, in the game." : ""}${playing && hello.delay_ticks ? " What happens now is shown when it is old enough." : ""}`;
}

async function loadPlaying() {
  if (past || hello?.role === "operator") return;
  const { players } = await ask("status").catch(() => ({ players: null }));
  if (players === playing) return;
  playing = players;
  if (hello) show();
}

function showStatus() {
  const late = (hello.delay_ticks * hello.tick_ms) / 1000;
  const delay = late ? `${late >= 90 ? `${Math.round(late / 60)} minutes` : `${Math.round(late)} seconds`} late` : hello.delay_ticks ? `${hello.delay_ticks} ticks late` : "at once";
  const text = past ? `You look at the past${past.range.folder && ` of ${past.range.folder}`}, ticks ${past.range.from} to ${past.range.to}.` : `You look on as ${hello.role === "operator" ? "an operator" : `a ${hello.role}`}, ${delay}.`;
  find("#tick").textContent = past ? "" : `Tick ${shownTick}`;
  const back = find("#look-back");
  back.hidden = Boolean(past) || !hello.looks_back;
  back.href = linkTo(shownTick);
  if (status.textContent !== text) status.textContent = text;
}

function showZones() {
  const counts = counted();
  fill(find("#zones ul"), hello.zones.map(({ number, name }) => {
    const { all = 0, agent = 0, person = 0 } = counts.get(number) ?? {};
    const entry = button("", `zone-${number}`, () => {
      isChosen = true;
      kept.set("watch-zone", number);
      if (number !== zone) turnTo(number);
    });
    entry.append(make("span", {}, name), make("small", {}, all ? `${plural(agent, "agent")}, ${plural(person, "person", "people")}` : "nobody"));
    if (number === zone) entry.setAttribute("aria-current", "true");
    return make("li", {}, entry);
  }));
}

function personRow(being) {
  const row = button("", `person-${being.key}`, () => choose(being.key));
  row.className = "being";
  row.setAttribute("aria-pressed", String(being.key === one.key));
  const doing = [being.fighting ? "fighting" : being.position === "standing" ? "" : being.position, being.linkless ? "connection lost" : "", being.open_mind ? "open mind" : ""].filter(Boolean);
  row.append(
    make("span", { class: "name", "data-kind": being.kind }, being.name),
    make("small", {}, `${being.kind}, level ${being.level}`),
    make("small", { class: "place" }, [being.place, ...doing].join(", ")),
  );
  return make("li", {}, row);
}

function fightRow(being) {
  const foe = being.foe ? bar(`${being.foe.name} ${being.foe.hp_percent} %`, being.foe.hp_percent / 100, "foe") : make("span", { class: "none" }, "against somebody unseen");
  return make("li", { class: "fight" }, bar(`${being.name} ${being.hp} of ${being.hp_max}`, being.hp / Math.max(1, being.hp_max)), foe, make("small", {}, being.place));
}

function tell(rows) {
  const list = find("#feed ol");
  const { added, gone } = feed.take(rows);
  const shown = new Map([...list.children].map((entry) => [entry.dataset.key, entry]));
  for (const key of gone) shown.get(key)?.remove();
  for (const line of added) list.prepend(feedRow(line));
  find("#feed .none").hidden = feed.length > 0;
}

function feedRow({ key, row, count }) {
  const when = count > 1 ? ` last at tick ${row.tick}` : ` tick ${row.tick}`;
  return make("li", { "data-what": row.what, "data-key": key }, make("span", {}, sentence(row, count)), make("small", {}, when));
}

async function loadCharts() {
  const to = until();
  // Who looks back and goes on is shown where it is, not what was asked for before.
  const isStill = () => !past || to === until();
  const of = (keys) => seriesOf(keys, to, Number(span.value));
  const isOperator = hello?.role === "operator";
  for (const name of ["tick", "tokens", "cost"]) charts[name].element.hidden = !isOperator;
  try {
    const counts = await of("players,agents");
    if (!isStill()) return;
    charts.players.show([{ label: "all", points: counts.get("players") }, { label: "agents", points: counts.get("agents") }]);
    if (!isOperator) return;
    const server = await of("tick_us,tokens_prompt,tokens_output,cost_micros,calls,calls_priced");
    if (!isStill()) return;
    charts.tick.show([{ label: "milliseconds", points: server.get("tick_us"), scale: 1e-3 }]);
    charts.tokens.show([{ label: "read", points: server.get("tokens_prompt") }, { label: "written", points: server.get("tokens_output") }]);
    charts.cost.show(...costOf(server));
  } catch (error) {
    charts.players.told.textContent = error.message;
  }
}

function look() {
  eyes.close();
  hello = null;
  open();
}

find("#look-as").addEventListener("click", () => {
  find("#eyes .problem").textContent = "";
  eyes.showModal();
});
find("#close-eyes").addEventListener("click", () => eyes.close());
find("#as-visitor").addEventListener("click", () => {
  token.set(null);
  look();
});
find("#as-operator").addEventListener("submit", (event) => {
  event.preventDefault();
  token.set(find("#eyes-token").value.trim());
  look();
});
find("#as-player").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const { token: own } = await login(find("#eyes-player").value.trim(), find("#eyes-password").value);
    token.set(own);
    look();
  } catch (error) {
    find("#eyes .problem").textContent = error.message;
  }
});

function dress(choice) {
  document.documentElement.dataset.theme = choice;
  for (const chart of Object.values(charts)) chart.draw();
  one.redraw();
}
theme.value = kept.get("theme", "auto");
theme.addEventListener("change", () => {
  kept.set("theme", theme.value);
  dress(theme.value);
});
span.addEventListener("change", () => {
  loadCharts();
  one.refresh();
});
setInterval(() => {
  if (document.hidden || past) return;
  loadCharts();
  one.refresh();
}, CHARTS_AGAIN_MS);
setInterval(() => !document.hidden && loadPlaying(), PLAYING_AGAIN_MS);

/** What belongs to now is not there; without a server that runs, nor is what only that has. */
function turnToPast() {
  shownTick = null;
  for (const selector of past.runs ? ["#look-as"] : ["#look-as", "#to-game", "#charts"]) find(selector).hidden = true;
  find("#to-now").hidden = !past.runs;
  find("#feed h2").textContent = "Deaths, levels and meetings";
  const list = find("#feed [role]");
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "What had happened by then, the newest first");
  document.title = "The past – Dark Pawns";
  find("#top h1 + span").textContent = "Observatory of the past";
}

dress(theme.value);
past = await findPast((then) => past && showThen(then), refuse);
one.seesAll = () => hello?.role === "operator";
one.looksBack = () => (past ? past.runs : Boolean(hello?.looks_back));
if (past) {
  turnToPast();
  one.past = past;
} else {
  // From now on a link with a tick is one to the past.
  addEventListener("hashchange", () => location.reload());
}
open();
