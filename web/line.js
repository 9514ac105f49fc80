// The field for what the player does: history, completion, and nothing of passwords kept.

import { find, kept } from "./dom.js";
import { strip } from "./secrets.js";
import { verbs } from "./verbs.js";

const HISTORY_MAX = 200;

export class Line {
  #line = find("#line");
  #hint = find("#hint");
  #history = [];
  #whose = "";
  #at = 0;
  #draft = "";
  #round = null;

  /** Somebody plays here now: what that one typed before is its own. */
  isOf(name) {
    kept.drop("history");
    this.#whose = name;
    this.#history = kept.get(`history ${name}`, []);
    this.#at = this.#history.length;
  }

  /** `send(line)` tells whether it was taken; `words()`: names here and of what is carried. */
  constructor(send, words, showKeys) {
    this.send = send;
    this.words = words;
    find("#type").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#line.addEventListener("keydown", (event) => {
      if (event.key !== "Tab") this.#round = null;
      const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
      if (event.key === "ArrowUp") this.#walk(-1, event);
      else if (event.key === "ArrowDown") this.#walk(1, event);
      else if (event.key === "Tab" && plain && this.#line.value.trim()) this.#complete(event);
      else if (event.key === "?" && plain && !this.#line.value) {
        event.preventDefault();
        showKeys();
      }
    });
    this.#line.addEventListener("input", () => this.#tellUsage());
  }

  focus() {
    this.#line.focus();
  }

  /** Puts the beginning of a line into the field, to be finished. */
  begin(text) {
    this.#line.value = text;
    this.focus();
  }

  #submit() {
    const line = this.#line.value;
    if (!this.send(line)) return;
    this.#line.value = "";
    this.#hint.textContent = "";
    if (line.trim() && strip(line).secret === null && this.#history.at(-1) !== line) {
      this.#history = [...this.#history, line].slice(-HISTORY_MAX);
      kept.set(`history ${this.#whose}`, this.#history);
    }
    this.#at = this.#history.length;
    this.#draft = "";
  }

  #walk(step, event) {
    const at = this.#at + step;
    if (at < 0 || at > this.#history.length) return;
    event.preventDefault();
    if (this.#at === this.#history.length) this.#draft = this.#line.value;
    this.#at = at;
    this.#line.value = this.#history[at] ?? this.#draft;
    this.#line.setSelectionRange(this.#line.value.length, this.#line.value.length);
  }

  /** Each further Tab takes the next word that begins so. */
  #complete(event) {
    if (!this.#round) {
      const cut = this.#line.value.lastIndexOf(" ") + 1;
      const before = this.#line.value.slice(0, cut);
      const begun = this.#line.value.slice(cut).toLowerCase();
      const known = cut === 0 ? verbs.map((verb) => verb.name) : this.words();
      const found = [...new Set(known)].filter((word) => begun && word.toLowerCase().startsWith(begun));
      if (!found.length) return;
      this.#round = { before, found, at: -1 };
    }
    event.preventDefault();
    const round = this.#round;
    const step = event.shiftKey ? round.found.length - 1 : 1;
    round.at = (Math.max(round.at, event.shiftKey ? 0 : -1) + step) % round.found.length;
    this.#line.value = `${round.before}${round.found[round.at]} `;
    this.#tellUsage();
  }

  #tellUsage() {
    const word = this.#line.value.trimStart().split(" ")[0].toLowerCase();
    const verb = this.#line.value.includes(" ") && verbs.find((known) => known.name === word);
    const text = verb ? `${verb.name} ${verb.usage}: ${verb.help}` : "";
    if (this.#hint.textContent !== text) this.#hint.textContent = text;
  }
}
