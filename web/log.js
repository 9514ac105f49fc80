// What the player reads: one element a line, bounded, with a tab for each kind of speech that was heard.

import { find, make } from "./dom.js";
import { part } from "./links.js";

const LINES_MAX = 10000;
/** Lines that are taken away together, so that a full log is not rearranged at each line. */
const SPARE = 500;
/** So often between two pictures of the screen what is read is written at once; the rest of a burst waits for the next. */
const AT_ONCE_MAX = 3;
/** Among so many of the newest lines the name of a room is looked for, since it is told after the room was read. */
const RECENT = 60;
/** Kinds of lines that the page itself writes. */
const OWN_KINDS = new Set(["typed", "notice", "problem"]);
const TITLES = {
  say: "Here", tell: "Tells", group: "Group", gossip: "Gossip", shout: "Shouts", auction: "Auction", grats: "Grats",
  newbie: "Newcomers", channel: "Channels", broadcast: "News",
};

/** A line as texts and elements, one for each span. */
function parts(text, spans) {
  if (!spans.length) return [text];
  const made = [];
  let at = 0;
  for (const span of spans) {
    if (span.from > at) made.push(text.slice(at, span.from));
    made.push(part(text.slice(span.from, span.to), span));
    at = span.to;
  }
  if (at < text.length) made.push(text.slice(at));
  return made;
}

export class Log {
  #log = find("#log");
  #tabs = find("#tabs");
  #newest = find("#newest");
  #waiting = [];
  /** How often it was written since the newest picture. */
  #written = 0;
  #nextPicture = 0;
  #place = "";
  #shown = "all";
  #unread = new Map();
  /** The newest line is in sight, and is to stay so. */
  #follows = true;
  /** The first line is to stay in sight, until somebody reads on or types. */
  #holdsStart = false;

  constructor() {
    this.#newest.addEventListener("click", () => this.toEnd());
    this.#log.addEventListener("scroll", () => {
      if (this.#holdsStart && !this.#log.scrollTop) return;
      this.#holdsStart = false;
      this.#follows = this.#isAtEnd();
      if (this.#follows) this.#newest.hidden = true;
    });
    // A keyboard that slides in, or a phone that is turned, leaves the newest line in sight.
    new ResizeObserver(() => this.#follows && !this.#holdsStart && this.toEnd()).observe(this.#log);
    this.#drawTabs();
  }

  /** A text of one kind, in as many lines as it has; `spans`: what parts of it are, in order (docs/PROTOCOL.md). */
  add(text, kind = "text", spans = []) {
    let from = 0;
    let next = 0;
    for (const line of text.replace(/\n+$/, "").split("\n")) {
      const to = from + line.length;
      while (next < spans.length && spans[next].to <= from) next++;
      const within = [];
      for (let at = next; at < spans.length && spans[at].from < to; at++) {
        within.push({ ...spans[at], from: Math.max(0, spans[at].from - from), to: Math.min(line.length, spans[at].to - from) });
      }
      this.#waiting.push([line, kind, within]);
      from = to + 1;
    }
    // A page in the background draws nothing, and reads on.
    if (document.hidden || this.#written < AT_ONCE_MAX) this.#write();
    this.#nextPicture ||= requestAnimationFrame(() => {
      this.#nextPicture = 0;
      this.#written = 0;
      this.#write();
    });
  }

  /** The newest line is 1. */
  line(back) {
    const lines = [...this.#log.children].filter((line) => line.textContent && !line.hidden);
    return lines[lines.length - back]?.textContent;
  }

  /** What was read, the newest first, up to the newest notice: that of coming back. */
  readBefore(count) {
    this.#write();
    const found = [];
    for (let line = this.#newestNotice()?.previousSibling; line && found.length < count; line = line.previousSibling) {
      if (!OWN_KINDS.has(line.dataset.kind) && line.textContent) found.push(line.textContent);
    }
    return found;
  }

  /** Lines that were missed, in the place where they belong. */
  fill(texts) {
    this.#write();
    const lines = texts.map((text) => make("div", { "data-kind": "text" }, text));
    for (const line of lines) line.hidden = !this.#shows("text");
    this.#newestNotice()?.before(...lines);
    if (this.#follows) this.toEnd();
  }

  #newestNotice() {
    return [...this.#log.querySelectorAll("[data-kind=notice]")].at(-1);
  }

  /** What the room is called now, which stands out wherever it is read. */
  setPlace(name) {
    this.#place = name;
    this.#write();
    const lines = this.#log.children;
    for (let at = lines.length - 1; at >= Math.max(0, lines.length - RECENT); at--) {
      if (lines[at].textContent !== name || lines[at].dataset.kind !== "text") continue;
      lines[at].dataset.kind = "place";
      return;
    }
  }

  clear() {
    this.#waiting = [];
    this.#log.replaceChildren();
    this.#unread.clear();
    this.#shown = "all";
    this.#drawTabs();
  }

  /** What comes now is read from its first line on, by whoever has never read it. */
  fromStart() {
    this.#holdsStart = true;
  }

  toEnd() {
    this.#holdsStart = false;
    this.#follows = true;
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#newest.hidden = true;
  }

  page(direction) {
    this.#log.scrollTop += direction * this.#log.clientHeight * 0.9;
  }

  #isAtEnd() {
    return this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 24;
  }

  #write() {
    if (!this.#waiting.length) return;
    this.#written++;
    const lines = this.#waiting.splice(0).slice(-LINES_MAX);
    let isNewTab = false;
    const elements = lines.map(([text, told, spans]) => {
      const kind = told === "text" && text && text === this.#place ? "place" : told;
      const line = make("div", { "data-kind": kind }, ...parts(text, spans));
      line.hidden = !this.#shows(kind);
      if (kind in TITLES) {
        isNewTab ||= !this.#unread.has(kind);
        const before = this.#unread.get(kind) ?? 0;
        this.#unread.set(kind, line.hidden ? before + 1 : 0);
        isNewTab ||= line.hidden;
      }
      return line;
    });
    this.#log.append(...elements);
    if (this.#log.childElementCount > LINES_MAX + SPARE) {
      const range = document.createRange();
      range.setStartBefore(this.#log.firstChild);
      range.setEndBefore(this.#log.children[this.#log.childElementCount - LINES_MAX]);
      range.deleteContents();
    }
    if (isNewTab) this.#drawTabs();
    if (this.#holdsStart && this.#log.scrollHeight > this.#log.clientHeight) this.#newest.hidden = false;
    else if (this.#follows && !this.#holdsStart) this.toEnd();
    else if (!this.#follows) this.#newest.hidden = false;
  }

  #shows(kind) {
    return this.#shown === "all" || this.#shown === kind;
  }

  #drawTabs() {
    const tab = (kind, title) => {
      const unread = this.#unread.get(kind) ?? 0;
      const element = make("button", { type: "button", "aria-pressed": String(this.#shown === kind) }, title);
      if (unread) element.append(make("span", { class: "unread" }, ` ${unread}`), make("span", { class: "spoken" }, " unread"));
      element.addEventListener("click", () => this.#show(kind));
      return element;
    };
    this.#tabs.hidden = !this.#unread.size;
    const kinds = Object.keys(TITLES).filter((kind) => this.#unread.has(kind));
    this.#tabs.replaceChildren(tab("all", "All"), ...kinds.map((kind) => tab(kind, TITLES[kind])));
  }

  #show(kind) {
    this.#shown = kind;
    if (this.#unread.has(kind)) this.#unread.set(kind, 0);
    for (const line of this.#log.children) line.hidden = !this.#shows(line.dataset.kind);
    this.#drawTabs();
    this.toEnd();
  }
}
