// The scrubber: which moment of the past is shown, where something happened, and playing it again.

import { fill, find, make, shape } from "./dom.js";
import { ask } from "./watch_api.js";

/** What was asked for while one drags is sought when the pointer rests so long. */
const REST_MS = 90;
/** From one picture to the next while it plays; for who wants little motion, longer. */
const FRAME_MS = 150;
const FRAME_CALM_MS = 1000;
/** What there is of the past is asked for again: while it is being searched, and later, as it may still be written. */
const SEARCHING_MS = 1500;
const GROWING_MS = 6000;
const LEAP = 30;
/** Half of the slider's thumb: its middle stands over the mark. */
const INSET = 8;
const LANES = ["death", "level", "meeting"];
const LANE_PX = 11;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

const LINKED = /^#tick=(\d+)$/;

/** Where a moment of the past is shown. */
export const linkTo = (tick) => `#tick=${tick}`;

/** A past to look at; `null`: what is now is to be shown. A server that runs shows its past where a link names a tick. */
export async function findPast(show, refuse) {
  // Who shows nothing but a past answers no such call.
  const runs = await ask("status").then(() => true, ({ status }) => status !== 404);
  if (runs && !LINKED.test(location.hash)) return null;
  try {
    return new Past(await ask("past"), show, refuse, runs);
  } catch (error) {
    if (runs) refuse(error);
    return null;
  }
}

export class Past {
  /** Where it is to be, and what is shown. */
  #tick = 0;
  #shown = null;
  #zone = null;
  #asking = null;
  #resting = 0;
  #playing = null;

  /** `show(then)`: a moment has come; `refuse(error)`: there is none; `runs`: of a server that runs, and keeps minds. */
  constructor(range, show, refuse, runs) {
    this.runs = runs;
    this.show = show;
    this.refuse = refuse;
    this.slider = find("#moment");
    this.lanes = find("#marks");
    this.#take(range);
    find("#scrubber").hidden = false;
    this.slider.addEventListener("input", () => {
      const tick = Number(this.slider.value);
      this.pause();
      this.#point(tick, REST_MS);
    });
    find("#play").addEventListener("click", () => (this.#playing ? this.pause() : this.play()));
    find("#speed").addEventListener("change", () => this.#playing && this.play());
    for (const [id, by] of [["back", -1], ["on", 1]]) find(`#tick-${id}`).addEventListener("click", () => this.step(by));
    for (const [id, by] of [["back", -1], ["on", 1]]) find(`#mark-${id}`).addEventListener("click", () => this.leap(by));
    this.lanes.addEventListener("click", (event) => this.#pick(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.lanes);
    const linked = LINKED.exec(location.hash);
    addEventListener("hashchange", () => {
      const [, tick] = LINKED.exec(location.hash) ?? [];
      if (tick) this.go(Number(tick));
    });
    this.#point(linked ? Number(linked[1]) : range.marks.at(-1)?.tick ?? range.to);
    this.#again();
  }

  get tick() {
    return this.#tick;
  }

  /** When the moment was, in unix milliseconds; `null`: nobody knows. */
  get at() {
    return this.#shown?.at ? Date.parse(this.#shown.at) : null;
  }

  /** Marks up to the moment, the newest first. */
  before() {
    return this.range.marks.filter(({ tick }) => tick <= this.#tick).reverse();
  }

  setZone(zone) {
    this.#zone = zone;
    this.#seek();
  }

  go(tick) {
    this.pause();
    this.#point(tick);
  }

  step(by) {
    this.go(this.#tick + by);
  }

  /** To the mark before or behind. */
  leap(by) {
    const marks = this.range.marks.map(({ tick }) => tick);
    const next = by > 0 ? marks.find((tick) => tick > this.#tick) : marks.findLast((tick) => tick < this.#tick);
    if (next !== undefined) this.go(next);
  }

  play() {
    clearInterval(this.#playing);
    if (this.#tick >= this.range.to) this.#point(this.range.from);
    const speed = Number(find("#speed").value);
    let [begun, at] = [performance.now(), this.#tick];
    let lastTick = this.#tick;
    this.#playing = setInterval(() => {
      if (document.hidden || this.#asking || this.#resting) return;
      // Time that a seek took is not made up for, and a leap over a gap is where it goes on.
      if (this.#tick !== lastTick) [begun, at] = [performance.now(), this.#tick];
      const passed = Math.floor(((performance.now() - begun) * speed) / this.range.tick_ms);
      if (passed < 1) return;
      if (at >= this.range.to) return this.pause();
      this.#point(at + passed, 0, 1);
      [lastTick, at] = [this.#tick, this.#tick];
      begun = performance.now();
    }, calm.matches ? FRAME_CALM_MS : FRAME_MS);
    this.#tell();
  }

  pause() {
    clearInterval(this.#playing);
    this.#playing = null;
    this.#tell();
  }

  /** The nearest tick that there is; in a gap, that behind it where one goes on. */
  #near(tick, way = 0) {
    const { parts } = this.range;
    const inside = parts.some(({ from, to }) => from <= tick && tick <= to);
    if (inside) return tick;
    const edges = parts.flatMap(({ from, to }) => [from, to]).filter((edge) => way === 0 || (edge - tick) * way >= 0);
    return (edges.length ? edges : [this.range.to]).reduce((one, other) => (Math.abs(other - tick) < Math.abs(one - tick) ? other : one));
  }

  /** Turns to a tick, and seeks it when the pointer has rested. */
  #point(tick, rest = 0, way = 0) {
    this.#tick = this.#near(Math.round(tick), way);
    this.#tell();
    clearTimeout(this.#resting);
    this.#resting = 0;
    if (!rest) return this.#seek();
    this.#resting = setTimeout(() => {
      this.#resting = 0;
      this.#seek();
    }, rest);
  }

  async #seek() {
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    const [tick, zone] = [this.#tick, this.#zone];
    find("#scrubber").setAttribute("aria-busy", "true");
    try {
      const then = await ask(`watch?tick=${tick}${zone === null ? "" : `&zone=${zone}`}`, asking.signal);
      if (asking.signal.aborted) return;
      this.#shown = then;
      find("#scrubber .problem").textContent = this.#problem();
      this.show(then);
    } catch (error) {
      if (asking.signal.aborted) return;
      this.pause();
      find("#scrubber .problem").textContent = error.message;
      this.refuse(error);
    } finally {
      if (this.#asking === asking) {
        this.#asking = null;
        find("#scrubber").removeAttribute("aria-busy");
        this.#tell();
      }
    }
  }

  async #again() {
    for (;;) {
      await new Promise((done) => setTimeout(done, this.range.searched ? GROWING_MS : SEARCHING_MS));
      if (document.hidden) continue;
      try {
        this.#take(await ask("past"));
        if (this.#shown) this.show(this.#shown);
      } catch {
        // It is asked again.
      }
    }
  }

  #take(range) {
    this.range = { ...range, tick_ms: range.tick_ms || 2000 };
    [this.slider.min, this.slider.max] = [range.from, range.to];
    this.slider.value = this.#tick;
    this.#draw();
    this.#tell();
  }

  #problem() {
    const { difference, problems } = this.range;
    const differs = difference && this.#tick >= difference.tick
      ? `From tick ${difference.tick} on this replay is not what was played (${difference.section} came out otherwise).` : "";
    return [differs, ...problems].filter(Boolean).join(" ");
  }

  #tell() {
    const { from, to, marks, searched, searched_to: searchedTo, folder } = this.range;
    this.slider.value = this.#tick;
    const then = this.#shown?.tick === this.#tick ? this.#shown : null;
    const ran = then?.at ? new Date(then.at).toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" }) : "";
    find("#moment-tick").textContent = `Tick ${this.#tick}`;
    if (then || !this.#playing) find("#moment-game").textContent = then ? then.game_time : "Going there …";
    find("#moment-ran").textContent = ran;
    this.slider.setAttribute("aria-valuetext", `Tick ${this.#tick} of ${to}${then ? `, ${then.game_time}` : ""}`);
    const play = find("#play");
    play.textContent = this.#playing ? "❚❚ Pause" : "▶ Play";
    play.setAttribute("aria-pressed", String(Boolean(this.#playing)));
    [find("#tick-back").disabled, find("#tick-on").disabled] = [this.#tick <= from, this.#tick >= to];
    find("#mark-back").disabled = !marks.some(({ tick }) => tick < this.#tick);
    find("#mark-on").disabled = !marks.some(({ tick }) => tick > this.#tick);
    const counted = LANES.map((kind) => {
      const count = marks.filter((mark) => mark.kind === kind).length;
      const sign = shape("svg", { class: "sign", viewBox: "-6 -6 12 12", "aria-hidden": "true" }, figure(kind, 0, 0));
      return make("span", {}, sign, ` ${count} ${kind}${count === 1 ? "" : "s"}`);
    });
    const looking = searched ? [] : [make("span", {}, `looking for more, at tick ${searchedTo ?? from} of ${to}`)];
    fill(find("#scrubber .legend"), [...counted, ...looking]);
    find("#fork").hidden = !folder;
    find("#fork code").textContent = `dp-server fork --at ${this.#tick} --state-dir ${quoted(folder)} --out NEW_FOLDER`;
  }

  #place(tick) {
    const { from, to } = this.range;
    const width = this.lanes.clientWidth - 2 * INSET;
    return INSET + (to > from ? ((tick - from) / (to - from)) * width : 0);
  }

  #draw() {
    const { clientWidth: width } = this.lanes;
    if (!width) return;
    this.lanes.setAttribute("viewBox", `0 0 ${width} ${LANES.length * LANE_PX}`);
    const { parts, marks } = this.range;
    const gaps = parts.slice(1).map(({ from }, n) => {
      const [x, end] = [this.#place(parts[n].to), this.#place(from)];
      return shape("rect", { class: "gap", x, y: 0, width: Math.max(1, end - x), height: LANES.length * LANE_PX });
    });
    // Of those that would lie upon each other one is drawn.
    const seen = new Set();
    const drawn = marks.flatMap(({ tick, kind }) => {
      const x = Math.round(this.#place(tick) / 3) * 3;
      if (seen.has(`${kind} ${x}`)) return [];
      seen.add(`${kind} ${x}`);
      return [figure(kind, x, (LANES.indexOf(kind) + 0.5) * LANE_PX)];
    });
    this.lanes.replaceChildren(...gaps, ...drawn);
  }

  /** The mark nearest to where the lanes were pressed. */
  #pick(event) {
    const x = event.clientX - this.lanes.getBoundingClientRect().left;
    const far = ({ tick }) => Math.abs(this.#place(tick) - x);
    const nearest = this.range.marks.reduce((one, other) => (one && far(one) <= far(other) ? one : other), null);
    if (nearest && far(nearest) < 14) return this.go(nearest.tick);
    const { from, to } = this.range;
    this.go(from + ((x - INSET) / Math.max(1, this.lanes.clientWidth - 2 * INSET)) * (to - from));
  }

  #key(event) {
    const { key, target, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || target.closest?.("input:not(#moment), select, textarea, dialog, [role=toolbar]")) return;
    const way = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (way) {
      event.preventDefault();
      this.step(way * (shiftKey ? LEAP : 1));
    } else if (key === " " && (target === document.body || target === this.slider)) {
      event.preventDefault();
      find("#play").click();
    }
  }
}

const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Told apart by form, not by colour alone. */
function figure(kind, x, y) {
  if (kind === "death") return shape("path", { class: "mark", "data-kind": kind, d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7` });
  if (kind === "level") return shape("path", { class: "mark", "data-kind": kind, d: `M${x - 4} ${y + 3.5}l4 -7l4 7z` });
  return shape("circle", { class: "mark", "data-kind": kind, cx: x, cy: y, r: 3 });
}
