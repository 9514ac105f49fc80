// Words of the log that can be acted on: a click does the first of their verbs, a menu has them all.
//
// They are plain text for a screen reader, which has the panels. By keyboard, the one that is chosen has the focus and
// is a button as long as it has it.

import { find, make } from "./dom.js";

const LONG_PRESS_MS = 500;

/** What each of these elements stands for. */
const meant = new WeakMap();

/** A part of a line as an element, by its span. */
export function part(text, { style, link }) {
  const element = make("span", {}, text);
  if (style) element.dataset.style = style;
  if (link && Array.isArray(link.verbs) && link.verbs.length) {
    element.className = "link";
    meant.set(element, link);
  }
  return element;
}

/** It is text like all other again. */
function unchoose(link) {
  for (const name of ["tabindex", "role", "aria-haspopup"]) link.removeAttribute(name);
}

/** What is typed to do something with it. */
function command(verb, { exit, id, inside }) {
  if (exit) return verb === "go" ? exit : `${verb} ${exit}`;
  return inside ? `${verb} ${id} ${inside}` : `${verb} ${id}`;
}

export class Links {
  #log = find("#log");
  #menu = find("#menu");
  #opener = null;
  #press = 0;
  /** A long press has opened the menu: the click that ends it does nothing. */
  #pressed = false;

  /**
   * `send(line, shown)` types a command, `begin(text)` puts its beginning into the field, `name(id)` is what to call it,
   * `leave()` goes back to the field.
   */
  constructor(send, begin, name, leave) {
    Object.assign(this, { send, begin, name, leave });
    const log = this.#log;
    log.addEventListener("click", (event) => {
      const link = this.#at(event);
      const wasLong = this.#pressed;
      this.#pressed = false;
      // Who marks words to copy them does not act on them.
      const marked = getSelection();
      if (!link || wasLong || (!marked.isCollapsed && marked.containsNode(link, true))) return;
      this.#do(link, meant.get(link).verbs[0]);
    });
    log.addEventListener("contextmenu", (event) => {
      const link = this.#at(event);
      if (!link) return;
      event.preventDefault();
      this.#open(link);
    });
    log.addEventListener("pointerdown", (event) => {
      const link = this.#at(event);
      this.#pressed = false;
      clearTimeout(this.#press);
      if (!link || event.pointerType === "mouse") return;
      this.#press = setTimeout(() => {
        this.#pressed = true;
        this.#open(link);
      }, LONG_PRESS_MS);
    });
    // What a browser makes of a lifted finger would take the focus from the menu.
    log.addEventListener("mousedown", (event) => this.#pressed && event.preventDefault());
    for (const end of ["pointerup", "pointercancel", "pointermove"]) {
      log.addEventListener(end, () => clearTimeout(this.#press));
    }
    log.addEventListener("keydown", (event) => this.#key(event));
    this.#menu.addEventListener("keydown", (event) => this.#menuKey(event));
    this.#menu.addEventListener("focusout", (event) => this.#menu.contains(event.relatedTarget) || this.#close());
  }

  #at(event) {
    const link = event.target instanceof Element ? event.target.closest(".link") : null;
    return link && meant.has(link) ? link : null;
  }

  #called(link) {
    const { exit, id } = meant.get(link);
    return exit ?? this.name(id) ?? link.textContent.trim();
  }

  #do(link, verb) {
    const what = meant.get(link);
    const shown = verb === "go" ? what.exit : `${verb} ${this.#called(link)}`;
    this.send(command(verb, what), shown);
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const chosen = document.activeElement.closest(".link");
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      const links = [...this.#log.querySelectorAll(".link")].filter((link) => !link.closest("[hidden]"));
      const at = chosen ? links.indexOf(chosen) + step : links.length - 1;
      if (links[at]) this.#choose(links[at]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.leave();
    } else if (chosen && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.#do(chosen, meant.get(chosen).verbs[0]);
    } else if (chosen && event.key === "ArrowDown") {
      event.preventDefault();
      this.#open(chosen);
    }
  }

  #choose(link) {
    link.tabIndex = -1;
    link.setAttribute("role", "button");
    link.setAttribute("aria-haspopup", "menu");
    link.addEventListener("blur", () => {
      if (this.#opener !== link) unchoose(link);
    }, { once: true });
    link.focus();
    link.scrollIntoView({ block: "nearest" });
  }

  #open(link) {
    const { verbs, begins = [] } = meant.get(link);
    const name = this.#called(link);
    const item = (text, action) => {
      const element = make("button", { type: "button", role: "menuitem", tabindex: "-1" }, text);
      element.addEventListener("click", () => {
        this.#back();
        action();
      });
      return element;
    };
    const items = [
      ...verbs.map((verb) => item(verb, () => this.#do(link, verb))),
      ...begins.map((verb) => item(`${verb} …`, () => this.begin(`${verb} ${name} `))),
    ];
    this.#opener = link;
    this.#menu.setAttribute("aria-label", name);
    this.#menu.replaceChildren(...items);
    this.#menu.hidden = false;
    // Below the word, or above it where there is no room.
    const word = link.getClientRects()[0];
    const { width, height } = this.#menu.getBoundingClientRect();
    const top = word.bottom + height > innerHeight ? Math.max(0, word.top - height) : word.bottom;
    this.#menu.style.left = `${Math.max(0, Math.min(word.left, innerWidth - width))}px`;
    this.#menu.style.top = `${top}px`;
    items[0].focus({ preventScroll: true });
  }

  /** The menu is done with: who came by keyboard has the word again. */
  #back() {
    const link = this.#opener;
    const wasChosen = link?.hasAttribute("tabindex") && link.isConnected;
    this.#close();
    if (wasChosen) this.#choose(link);
  }

  #close() {
    if (this.#menu.hidden) return;
    this.#menu.hidden = true;
    unchoose(this.#opener);
    this.#opener = null;
  }

  #menuKey(event) {
    const items = [...this.#menu.children];
    const at = items.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items[next % items.length].focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      this.#back();
    }
  }
}
