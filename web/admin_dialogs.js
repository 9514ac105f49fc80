// The two questions of the operators' page: whether somebody is sure, and whether a key that is shown once was kept.

import { find } from "./dom.js";

const sure = find("#sure");
const secret = find("#secret");
let answer = null;
/** What has to be typed. */
let wanted = "";

/**
 * Asks before something that cannot be taken back. `word`: it has to be typed; `label`: what may be typed instead.
 * What was typed, or null where it is not to be.
 */
export function ask({ title, what, word = "", label = "", button }) {
  wanted = word;
  find("#sure-name").textContent = title;
  find("#sure-what").textContent = what;
  const isAsked = Boolean(word || label);
  find("#sure-ask").hidden = find("#sure-word").hidden = !isAsked;
  find("#sure-ask").textContent = word ? `Type ${word} to go on` : label;
  find("#sure-word").value = "";
  find(".problem", sure).textContent = "";
  find(".grave", sure).textContent = button;
  sure.showModal();
  (isAsked ? find("#sure-word") : find("#not-sure")).focus();
  return new Promise((done) => (answer = done));
}

function close(given) {
  answer?.(given);
  answer = null;
  if (sure.open) sure.close();
}

find("form", sure).addEventListener("submit", (event) => {
  event.preventDefault();
  const typed = find("#sure-word").value.trim();
  if (wanted && typed.toLowerCase() !== wanted) {
    find(".problem", sure).textContent = `That is not the word. Type ${wanted}, or leave it as it is.`;
    find("#sure-word").select();
    return;
  }
  close(typed);
});
find("#not-sure").addEventListener("click", () => close(null));
sure.addEventListener("close", () => close(null));

/** Copies a text where the browser lets a page do so; else it is marked, for Ctrl+C. */
export async function copy(element, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(element.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(element);
    button.textContent = "Marked: press Ctrl+C";
  }
  setTimeout(() => (button.textContent = before), 2500);
}

/** Shows a key, once. */
export function showKey({ name, key, created }) {
  find("#secret-what").textContent = `${created ? `The character ${name} was made. ` : ""}This is a key of ${name}. It is shown this once: keep it where you need it.`;
  find("code", secret).textContent = key;
  secret.showModal();
  find("#copy-secret").focus();
}

find("#copy-secret").addEventListener("click", ({ target }) => copy(find("code", secret), target));
find("#close-secret").addEventListener("click", () => secret.close());
secret.addEventListener("close", () => (find("code", secret).textContent = ""));
