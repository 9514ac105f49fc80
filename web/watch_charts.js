// Charts of how things went, drawn by uPlot, each with its table for who reads rather than looks.

import { make } from "./dom.js";

/** Rows of a table; of more, those at even distances. */
const ROWS = 40;
const HEIGHT = 170;
const number = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });
const time = new Intl.DateTimeFormat("en", { dateStyle: "short", timeStyle: "short" });

/** Under the axis: the time of day, or the day where the span has several. */
function under(times) {
  const isLong = times.at(-1) - times[0] > 2 * 86400;
  const form = new Intl.DateTimeFormat("en-GB", isLong ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" });
  return (_, values) => {
    const words = values.map((value) => form.format(new Date(value * 1000)));
    return words.map((word, n) => (word === words[n - 1] ? "" : word));
  };
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The line of what calls of models cost, and of how many of them that is known: a price that nobody set is not 0. */
export function costOf(series) {
  const sum = (key) => (series.get(key) ?? []).reduce((all, [, value]) => all + (value ?? 0), 0);
  const [calls, priced] = [sum("calls"), sum("calls_priced")];
  const isUnknown = (series.get("cost_micros") ?? []).some(([, value]) => value === null);
  const all = `${number.format(calls)} ${calls === 1 ? "call" : "calls"} of models`;
  const known = priced ? `Price known of ${number.format(priced)} of ${all}.` : `Price not known of any of ${all}.`;
  const note = calls ? known : isUnknown ? "Price not known." : "";
  return [[{ label: "cost an hour", points: series.get("cost_micros"), scale: 1e-6 }], note];
}

/** One figure: `lines` are `{label, points, scale}` of the same times or not. */
export class Chart {
  #plot = null;

  constructor(title) {
    this.title = title;
    this.place = make("div", { class: "plot", "aria-hidden": "true" });
    this.told = make("p", { class: "told" });
    this.table = make("div", { class: "rows" });
    this.element = make("figure", {}, make("figcaption", {}, title), this.place, this.told,
      make("details", { "data-key": `table-${title}` }, make("summary", {}, "As a table"), this.table));
    this.lines = [];
    this.note = "";
    new ResizeObserver(() => this.#size()).observe(this.place);
  }

  /** `note`: a sentence beside what is newest. */
  show(lines, note = "") {
    this.lines = lines;
    this.note = note;
    this.draw();
  }

  draw() {
    this.#plot?.destroy();
    this.#plot = null;
    const times = [...new Set(this.lines.flatMap(({ points }) => points.map(([at]) => at)))].sort((one, other) => one - other);
    const columns = this.lines.map(({ points, scale = 1 }) => {
      const values = new Map(points);
      return times.map((at) => (typeof values.get(at) === "number" ? values.get(at) * scale : null));
    });
    const lasts = this.lines.map(({ label }, n) => {
      const last = columns[n].findLast((value) => value !== null);
      return last === undefined || last === null ? null : `${label} ${number.format(last)}`;
    });
    const isKnown = lasts.some(Boolean);
    const newest = isKnown ? `Newest: ${lasts.filter(Boolean).join(", ")}.` : times.length ? "" : "Nothing was counted in this span yet.";
    this.told.textContent = [newest, this.note].filter(Boolean).join(" ");
    this.place.hidden = times.length < 2 || !isKnown;
    this.table.replaceChildren(this.#rows(times, columns));
    if (!this.place.hidden) this.#draw(times, columns);
  }

  #draw(times, columns) {
    const [quiet, edge, ground] = [colour("--quiet"), colour("--edge"), colour("--raised")];
    const strokes = [colour("--accent"), colour("--say"), colour("--tell"), colour("--talk")];
    const axis = { stroke: quiet, grid: { stroke: edge, width: 1 }, ticks: { stroke: edge, width: 1 }, font: "12px system-ui" };
    const series = this.lines.map(({ label }, n) => ({
      label, stroke: strokes[n % strokes.length], width: 2, spanGaps: true, dash: n ? [6, 3 * n] : undefined,
      points: { show: times.length < 30, fill: ground },
    }));
    const small = (_, values) => values.map((value) => new Intl.NumberFormat("en", { notation: "compact" }).format(value));
    const options = {
      width: Math.max(this.place.clientWidth, 120), height: HEIGHT, series: [{}, ...series],
      axes: [{ ...axis, values: under(times.map((at) => at / 1000)), space: 60, size: 30 }, { ...axis, values: small, size: 46 }], cursor: { drag: { x: false, y: false } }, legend: { show: this.lines.length > 1, live: false },
      scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] } },
    };
    this.#plot = new window.uPlot(options, [times.map((at) => at / 1000), ...columns], this.place);
  }

  #size() {
    const width = this.place.clientWidth;
    if (this.#plot && width && Math.abs(this.#plot.width - width) > 1) this.#plot.setSize({ width, height: HEIGHT });
  }

  #rows(times, columns) {
    const step = Math.max(1, Math.ceil(times.length / ROWS));
    const rows = times.flatMap((at, n) => {
      if ((times.length - 1 - n) % step) return [];
      const cells = columns.map((column) => make("td", {}, column[n] === null ? "–" : number.format(column[n])));
      return [make("tr", {}, make("th", { scope: "row" }, time.format(at)), ...cells)];
    });
    const head = this.lines.map(({ label }) => make("th", { scope: "col" }, label));
    return make("table", {}, make("caption", { class: "spoken" }, this.title),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "When"), ...head)), make("tbody", {}, ...rows));
  }
}
