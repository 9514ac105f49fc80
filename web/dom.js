// Elements from data. Texts enter by textContent alone, so that nobody's words become markup.

export const find = (selector, within = document) => within.querySelector(selector);

/** An element: `make("li", { class: "mob" }, "a goblin", button)`. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for pictures. */
export function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button that does something; `key` lets it keep the focus where its list is made anew. */
export function button(text, key, action) {
  const element = make("button", { type: "button", "data-key": key }, text);
  element.addEventListener("click", action);
  return element;
}

/** What is to be filled when the pointer is up again: a button that goes away under a finger would not be pressed. */
const waiting = new Map();
let pressed = null;
addEventListener("pointerdown", ({ target }) => (pressed = target), true);
for (const end of ["pointerup", "pointercancel"]) {
  addEventListener(end, () => {
    pressed = null;
    // The click comes first.
    setTimeout(() => {
      for (const [parent, children] of waiting) fill(parent, children);
      waiting.clear();
    });
  }, true);
}

/** Puts new children in place of the old ones. What was open stays open, and who had the focus has it. */
export function fill(parent, children) {
  if (pressed && parent.contains(pressed)) {
    waiting.set(parent, children);
    return;
  }
  waiting.delete(parent);
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const open = new Set([...parent.querySelectorAll("details[open]")].map((details) => details.dataset.key));
  parent.replaceChildren(...children);
  for (const details of parent.querySelectorAll("details")) details.open = open.has(details.dataset.key);
  if (!focused) return;
  const again = [...parent.querySelectorAll("[data-key]")].find((element) => element.dataset.key === focused);
  if (again) again.focus();
}

/** What this browser keeps for this page; a browser that keeps nothing plays as well. */
export const kept = {
  get(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // Nothing is kept, then.
    }
  },
  drop(name) {
    try {
      localStorage.removeItem(name);
    } catch {
      // Nothing was kept.
    }
  },
};
