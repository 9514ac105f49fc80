// One character: how it is, and where one may look, what is on its mind, what it decided and why, what it remembers and
// what it dreamt.

import { button, fill, find, make, shape } from "./dom.js";
import { ask, seriesOf } from "./watch_api.js";
import { Chart, costOf } from "./watch_charts.js";
import { decision } from "./watch_decision.js";
import { draw } from "./watch_graph.js";
import { linkTo } from "./watch_past.js";

const AGAIN_MS = 4000;
const DECISIONS = 25;
/** Entries of each mind's stream. */
const THOUGHTS = 30;
const VIEWS_OF_A_FOLDER = { vitals: "How it fared" };
const VIEWS_OF_THE_PAST = { vitals: "How it fared", mind: "Mind", minds: "Its minds", decisions: "Decisions", memories: "Memories of now" };
const VIEWS = { vitals: "How it fares", mind: "Mind", minds: "Its minds", decisions: "Decisions", memories: "Memories", dream: "Last dream" };
const FORMATS = ["markdown", "json", "compact-json", "toon"];

const path = (key) => encodeURIComponent(key);

export class One {
  #key = null;
  #view = "vitals";
  #format = "markdown";
  #timer = 0;
  #charts = null;
  #present = false;
  /** The past that is shown, if it is one. */
  past = null;
  /** Whether links to moments lead somewhere. */
  looksBack = () => false;
  /** Whether who looks on may see all that there is. */
  seesAll = () => false;

  /** `closed()`: nobody is looked at any more; `until()`: where charts end; `span()`: hours that they show. */
  constructor(closed, until, span) {
    this.closed = closed;
    this.until = until;
    this.span = span;
    this.section = find("#one");
    find("#close-one").addEventListener("click", () => this.close());
    this.section.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  get key() {
    return this.#key;
  }

  choose(being) {
    const isOther = being.key !== this.#key;
    this.#key = being.key;
    this.section.hidden = false;
    if (isOther) this.#charts = null;
    this.see(being);
    const loaded = this.#open(this.#view);
    if (!isOther) return;
    this.section.focus({ preventScroll: true });
    this.#bringUp();
    // There may have been too little below it to scroll to.
    loaded.then(() => being.key === this.#key && this.#bringUp());
  }

  /** Where little of it would show, it comes to the top. */
  #bringUp() {
    const isLow = this.section.getBoundingClientRect().top > innerHeight * 0.6;
    this.section.scrollIntoView({ block: isLow ? "start" : "nearest" });
  }

  close() {
    clearTimeout(this.#timer);
    this.#key = null;
    this.section.hidden = true;
    this.closed();
  }

  /** What the stream says of it; `undefined`: it is to be seen no more. */
  see(being) {
    if (!this.#key) return;
    this.#present = Boolean(being);
    if (!being) {
      find("#vitals").replaceChildren(make("p", { class: "none" }, "It is out of sight: it has left, or is where you do not see it."));
      return;
    }
    find("#one h2").textContent = being.name;
    const facts = [
      ["", `${being.kind}, level ${being.level}`], ["in", being.place], ["", being.position],
      ["fights", being.fighting ? being.foe?.name ?? "somebody" : ""], ["", being.linkless ? "connection lost" : ""],
    ].filter(([, text]) => text);
    const health = bar(`Hit points ${being.hp} of ${being.hp_max}`, being.hp / Math.max(1, being.hp_max));
    const foe = being.foe ? [bar(`${being.foe.name} ${being.foe.hp_percent} %`, being.foe.hp_percent / 100, "foe")] : [];
    const rows = facts.map(([word, text]) => make("span", {}, word ? `${word} ${text}` : text));
    find("#vitals").replaceChildren(make("p", { class: "facts" }, ...rows), make("div", { class: "bars" }, health, ...foe));
  }

  refresh() {
    if (this.#key && this.past) this.#present ? this.#load(this.#view) : find("#view").replaceChildren();
    else if (this.#key && this.#charts) this.#fillCharts();
  }

  redraw() {
    this.#charts?.forEach((chart) => chart.draw());
  }

  #open(view) {
    clearTimeout(this.#timer);
    const isOther = view !== this.#view || !find("#view").firstChild;
    this.#view = view;
    const views = !this.past ? VIEWS : this.past.runs ? VIEWS_OF_THE_PAST : VIEWS_OF_A_FOLDER;
    fill(find("#views"), Object.entries(views).map(([key, name]) => {
      const tab = button(name, `view-${key}`, () => this.#open(key));
      tab.setAttribute("aria-pressed", String(key === view));
      return tab;
    }));
    if (isOther || view !== "memories") find("#view").replaceChildren(make("p", { class: "none" }, "Looking …"));
    return this.#load(view);
  }

  async #load(view) {
    const key = this.#key;
    const isStill = () => key === this.#key && view === this.#view;
    try {
      const shown = await this[`_${view}`](path(key));
      if (isStill() && shown) fill(find("#view"), shown);
    } catch (error) {
      const told = error.status === 404 && !this.past ? this.#nothing(view) : error.message;
      if (isStill()) fill(find("#view"), [make("p", { class: "none" }, told)]);
    }
    if (isStill() && !this.past && ["mind", "minds", "decisions"].includes(view)) this.#timer = setTimeout(() => this.#load(view), AGAIN_MS);
  }

  /** Why there is nothing to show: an operator may see all that there is. */
  #nothing(view) {
    if (view === "minds" && !this.seesAll()) return `What the minds of ${find("#one h2").textContent} say among themselves is for itself, its owner and operators, even where its mind is open.`;
    if (this.seesAll()) return "There is nothing of it yet: memories come with the next night.";
    return `${find("#one h2").textContent} keeps this to itself, or there is nothing of it yet. Its owner and operators may look; everybody, where its mind is open.`;
  }

  /** Of a call that is answered from what was written down: up to which tick. */
  get #asOf() {
    return this.past ? `&tick=${this.past.tick}` : "";
  }

  async _vitals(name) {
    const then = this.past ? await this.#then(name) : [];
    if (this.past && !this.past.runs) return then;
    if (!this.#charts) this.#charts = ["Experience", "Deaths and kills", "Tokens, hour by hour", "Cost, hour by hour"].map((title) => new Chart(title));
    await this.#fillCharts();
    return [...then, make("div", { class: "charts" }, ...this.#charts.map(({ element }) => element))];
  }

  async #then(name) {
    // Who is no operator is told of others what stands above, and no more.
    const answer = await ask(`characters/${name}?tick=${this.past.tick}`).catch((error) => {
      if (error.status !== 404 || !this.past.runs) throw error;
      return null;
    });
    if (!answer) return [];
    const { exp, gold, mana, move, room } = answer.character;
    const facts = { Experience: exp, Gold: gold, Mana: mana, Moves: move, Room: room };
    return [make("dl", { class: "facts" }, ...Object.entries(facts).map(([word, value]) => make("div", {}, make("dt", {}, word), make("dd", {}, String(value)))))];
  }

  async #fillCharts() {
    const name = path(this.#key);
    const to = this.until();
    const charts = this.#charts;
    // Who looks back and goes on is shown where it is, not what was asked for before.
    const isStill = () => charts === this.#charts && to === (this.past ? this.until() : to);
    const of = (keys) => seriesOf(keys, to, this.span(), name);
    const life = await of("exp,deaths,kills");
    if (!isStill()) return;
    charts[0].show([{ label: "experience", points: life.get("exp") }]);
    charts[1].show([{ label: "deaths", points: life.get("deaths") }, { label: "kills", points: life.get("kills") }]);
    const cost = await of("tokens_prompt,tokens_cached,tokens_output,cost_micros,calls,calls_priced").catch(() => null);
    if (!isStill()) return;
    for (const chart of charts.slice(2)) chart.element.hidden = !cost;
    if (!cost) return;
    charts[2].show([
      { label: "read", points: cost.get("tokens_prompt") }, { label: "of these cached", points: cost.get("tokens_cached") },
      { label: "written", points: cost.get("tokens_output") },
    ]);
    charts[3].show(...costOf(cost));
  }

  async _mind(name) {
    const { hud, seq, tick } = await ask(`minds/${name}/hud?format=${this.#format}${this.#asOf}`);
    const select = make("select", { "data-key": "hud-format" }, ...FORMATS.map((format) => make("option", { value: format }, format)));
    select.value = this.#format;
    select.addEventListener("change", () => {
      this.#format = select.value;
      this.#load("mind");
    });
    return [
      make("p", { class: "told" }, make("label", {}, "As ", select), ` after entry ${seq} of its log, tick ${tick}`),
      make("pre", { class: "hud", tabindex: "0", "aria-label": "What is on its mind" }, hud || "Nothing is on its mind."),
    ];
  }

  /** A column for each mind of its body, and below what they tell each other. */
  async _minds(name) {
    const { minds, entries, memo, proposals } = await ask(`minds/${name}/council`);
    const isThen = ({ tick }) => !this.past || tick <= this.past.tick;
    const bySeq = new Map(entries.filter(isThen).map((entry) => [entry.seq, entry]));
    const several = minds.filter(({ mind }) => mind !== "body");
    // What they propose stands in the log of the body that they share.
    if (!proposals?.length && !entries.some(({ log }) => log !== "body")) return [make("p", { class: "none" }, "It thinks with one mind.")];
    const columns = several.map(({ mind, side, stream, plans }) => {
      const seen = stream.filter(({ seq }) => bySeq.has(seq)).slice(-THOUGHTS).reverse();
      const open = plans.filter(({ status }) => status === "IN_PROGRESS");
      return make("section", { "aria-label": mind.toUpperCase() },
        make("h3", {}, mind.toUpperCase()), ...(mind === "observer" ? [] : [make("p", { class: "told" }, side)]),
        ...(open.length && !this.past ? [make("ul", { class: "plans" }, ...open.map(({ text }) => make("li", {}, text)))] : []),
        make("ol", { tabindex: "0", "aria-label": "What it perceived and thought, the newest first" },
          ...seen.map(({ seq, type }) => make("li", { "data-type": type }, make("small", {}, `#${seq} ${type.toLowerCase()}, tick ${bySeq.get(seq).tick}`), make("span", {}, bySeq.get(seq).text)))),
        ...(seen.length ? [] : [make("p", { class: "none" }, "Nothing yet.")]));
    });
    const notes = (memo?.entries ?? []).filter(isThen).slice(-THOUGHTS).reverse();
    const told = notes.map(({ from, to, type, content, tick }) => make("li", {}, make("small", {}, `${String(from).toUpperCase()} to ${String(to).toUpperCase()}, ${String(type).toLowerCase()}, tick ${tick}`), make("span", {}, content)));
    return [make("div", { class: "minds" }, ...columns), ...(told.length ? [make("section", { class: "memo" }, make("h3", {}, "Memo"), make("ol", {}, ...told))] : [])];
  }

  async _decisions(name) {
    const { decisions } = await ask(`decisions?name=${name}&newest=${DECISIONS}${this.#asOf}`);
    if (!decisions.length) return [make("p", { class: "none" }, "Nothing that it decided is recorded.")];
    return [make("ol", { class: "decisions", tabindex: "0", "aria-label": "What it decided, the newest first" }, ...decisions.map((row) => decision(row, this.looksBack())))];
  }

  async _memories(name) {
    const { graph, dreamt_at: at } = await ask(`minds/${name}/graph`);
    if (!graph.nodes.length) return [make("p", { class: "none" }, "It remembers nothing yet.")];
    const picture = shape("svg", { class: "memories", role: "group", "aria-label": "What it remembers" });
    const told = make("p", { class: "told", role: "status" });
    const back = button("Look at that moment", "memory-moment", () => this.#goTo(name, back.dataset.seq));
    back.hidden = true;
    // It is not in the page yet: its height as `watch.css` has it.
    const room = { width: find("#view").clientWidth || innerWidth, height: Math.min(Math.max(288, innerHeight * 0.6), 672) };
    const { shown, all } = draw(picture, graph, room, (text, { id }) => {
      told.textContent = text;
      const [, seq] = /^event:(\d+)$/.exec(id) ?? [];
      back.hidden = !seq || !this.looksBack();
      back.dataset.seq = seq ?? "";
    });
    const key = ["good", "neutral", "bad"].map((word) => {
      const sign = shape("svg", { class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shape("g", { class: "memory", "data-worth": word }, shape("circle", { r: 6 })));
      return make("span", {}, sign, ` ${word}`);
    });
    told.textContent = "Point at a memory to read it.";
    const list = graph.nodes.toSorted((one, other) => other.salience - one.salience).slice(0, 60);
    return [
      make("p", { class: "legend" }, ...key, make("span", {}, `${shown} of ${all} memories, the strongest; larger is stronger. Dreamt ${when(at)}.`)),
      picture, told, back,
      make("details", { "data-key": "memories-list" }, make("summary", {}, "As a list"),
        make("ul", {}, ...list.map(({ label, kind, valence, salience }) => make("li", {}, `${label} (${kind}, valence ${valence.toFixed(1)}, salience ${salience.toFixed(2)})`)))),
    ];
  }

  /** To the moment of which an entry of its log tells. */
  async #goTo(name, seq) {
    const { tick } = await ask(`minds/${name}/hud?seq=${seq}`);
    location.hash = linkTo(tick);
  }

  async _dream(name) {
    const { story, dreamt_at: at } = await ask(`minds/${name}/dream`);
    return [make("p", { class: "told" }, `Dreamt ${when(at)}.`), make("article", { class: "dream" }, ...markdown(story))];
  }
}

const WHEN = { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" };
const when = (at) => new Date(at).toLocaleString("en", WHEN);

export function bar(text, part, kind = "") {
  const percent = Math.round(Math.min(1, Math.max(0, part)) * 100);
  const fillings = shape("svg", { class: "filling", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" }, shape("rect", { width: percent, height: 1 }));
  return make("div", { class: `bar ${kind}` }, fillings, make("span", { class: "number" }, text));
}

/** Headings, lists and paragraphs; whatever else stands in a story is text. */
function markdown(text) {
  const parts = [];
  for (const line of text.split("\n")) {
    const heading = /^(#{1,4}) +(.*)/.exec(line);
    const item = /^\s*[-*] +(.*)/.exec(line);
    if (heading) parts.push(make(`h${Math.max(3, heading[1].length + 1)}`, {}, heading[2]));
    else if (item && parts.at(-1)?.tagName === "UL") parts.at(-1).append(make("li", {}, ...emphasis(item[1])));
    else if (item) parts.push(make("ul", {}, make("li", {}, ...emphasis(item[1]))));
    else if (line.trim()) parts.push(make("p", {}, ...emphasis(line)));
  }
  return parts;
}

const emphasis = (text) => text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|_[^_]+_)/).filter(Boolean).map((part) => {
  if (/^\*\*.+\*\*$/.test(part)) return make("strong", {}, part.slice(2, -2));
  if (/^([*_]).+\1$/.test(part)) return make("em", {}, part.slice(1, -1));
  return part;
});
