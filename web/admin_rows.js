// What the sections are drawn with: tables that become lists where there is little room, times, forms.

import { make } from "./dom.js";

const DAY_S = 86400;

/** How long, for people: 95 becomes "1 min". */
export function span(seconds) {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < DAY_S) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / DAY_S)} d ${Math.floor((seconds % DAY_S) / 3600)} h`;
}

/** A moment, as the reader's own clock has it; behind it the exact one. */
export function moment(at) {
  const when = typeof at === "number" ? new Date(at) : new Date(at ?? NaN);
  if (Number.isNaN(when.getTime())) return "";
  const options = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
  if (when.getFullYear() !== new Date().getFullYear()) options.year = "numeric";
  return make("time", { datetime: when.toISOString(), title: when.toISOString() }, when.toLocaleString("en-GB", options));
}

/**
 * A table. `columns`: `{ name, of(row), wide? }`; a column without a name has buttons. Its roles are said, so that it
 * stays a table for who hears it where it is drawn as a list.
 */
export function table(label, columns, rows, empty) {
  if (!rows.length) return make("p", { class: "none" }, empty);
  const head = make("tr", { role: "row" }, ...columns.map(({ name }) => make("th", { role: "columnheader", scope: "col" }, name || make("span", { class: "spoken" }, "What can be done"))));
  const body = rows.map((row) => make("tr", { role: "row" }, ...columns.map(({ name, of, wide }) => {
    const filled = [of(row)].flat().filter((part) => part !== "" && part != null);
    const cell = make("td", { role: "cell", "data-name": name }, make("div", {}, ...filled));
    if (wide) cell.className = "wide";
    if (!filled.length) cell.classList.add("empty");
    return cell;
  })));
  return make("table", { role: "table", "aria-label": label }, make("thead", { role: "rowgroup" }, head), make("tbody", { role: "rowgroup" }, ...body));
}

/** Facts: a word and its number. */
export function facts(pairs) {
  return make("dl", { class: "numbers" }, ...pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
}

/** A form that says what it does. `fields`: elements with a `name`; `act(values)` may throw. */
export function form(title, fields, button, act) {
  const element = make("form", { "aria-label": title }, make("h3", {}, title));
  for (const { label, field } of fields) {
    field.id = `field-${title}-${field.name}`.replace(/\W+/g, "-");
    element.append(make("div", { class: "field" }, make("label", { for: field.id }, label), field));
  }
  element.append(make("button", { type: "submit" }, button));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    act(Object.fromEntries(new FormData(element)), element);
  });
  return element;
}

export const input = (name, attributes = {}) => make("input", { name, autocomplete: "off", autocapitalize: "none", spellcheck: "false", ...attributes });

export function select(name, pairs, attributes = {}) {
  return make("select", { name, ...attributes }, ...pairs.map(([value, text]) => make("option", { value }, text)));
}
