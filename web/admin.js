// The operators' page: who is signed in, which section is shown, and what it asks again while somebody looks.

import { call, login, token } from "./admin_api.js";
import { SECTIONS } from "./admin_sections.js";
import { fill, find, kept, make } from "./dom.js";

const LONGEST_WAIT_MS = 30000;

const status = find("#status");
const theme = find("#theme");
const gate = find("#gate");
const work = find("#work");
const problem = find("#part > .problem");
const done = find("#part > .done");

/** Who is signed in: `{ name, level, calls }`. */
let me = null;
let section = SECTIONS[0];
/** What was read last, page by page. */
let pages = [];
let timer = 0;
/** Counts what was asked, so that an answer that comes late is not drawn. */
let asked = 0;
let failures = 0;

const desk = {
  may: (what) => Boolean(me?.calls.includes(what)),
  isAbove: (level) => !me?.level || me.level > (level ?? 0),
  refresh: () => read(),
  redraw: () => draw(),
  reform: () => form(),
  /** Does something and tells how it went; then what is shown is read again. */
  async act(sentence, doIt, then = () => {}) {
    problem.textContent = done.textContent = "";
    try {
      const answer = await doIt();
      done.textContent = sentence;
      then(answer);
      if (section.load && me) read();
    } catch (error) {
      refuse(error);
    }
  },
  lost(sentence) {
    status.textContent = sentence;
    failures = 0;
    clearTimeout(timer);
    timer = setTimeout(wait, 1500);
  },
};

/** Until the server is there again. */
async function wait() {
  try {
    await enter();
    done.textContent = "The server is there again.";
  } catch (error) {
    failures += 1;
    if (error.status) return refuse(error);
    status.textContent = "The server does not answer. It is asked again.";
    timer = setTimeout(wait, Math.min(1000 * 2 ** failures, LONGEST_WAIT_MS));
  }
}

function refuse(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401 || (error.status === 403 && !me)) return leave(error.message);
  problem.textContent = error.message;
  delete problem.dataset.of;
}

/** Shows the form to sign in; `why`: what the server said. */
function leave(why = "") {
  clearTimeout(timer);
  token.set(null);
  me = null;
  pages = [];
  asked += 1;
  work.hidden = find("#sign-out").hidden = true;
  for (const id of ["#forms", "#rows"]) find(id).replaceChildren();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  gate.hidden = false;
  status.textContent = "";
  find(".problem", gate).textContent = why;
  find("#gate-player").focus();
}

/** Signs in with the token that is kept. */
async function enter() {
  const found = await call("GET", "me");
  me = found;
  failures = 0;
  gate.hidden = true;
  work.hidden = find("#sign-out").hidden = false;
  status.textContent = me.level ? `You are ${me.name}, an immortal of level ${me.level}.` : "You have the admin token.";
  const shown = SECTIONS.filter(({ needs }) => desk.may(needs));
  fill(find("#sections ul"), shown.map(({ key, name }) => make("li", {}, make("a", { href: `#${key}`, "data-key": `to-${key}` }, name))));
  turn();
}

/** Shows the section that the address names. */
function turn() {
  if (!me) return;
  const named = SECTIONS.find(({ key, needs }) => key === location.hash.slice(1) && desk.may(needs));
  section = named ?? SECTIONS[0];
  for (const link of document.querySelectorAll("#sections a")) {
    if (link.hash === `#${section.key}`) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    } else link.removeAttribute("aria-current");
  }
  document.title = `${section.name} – Dark Pawns`;
  find("#part-name").textContent = section.name;
  find("#part .about").textContent = section.about;
  problem.textContent = done.textContent = "";
  find("#again").hidden = !section.load;
  find("#older").hidden = true;
  pages = [];
  find("#rows").replaceChildren();
  form();
  if (section.load) read();
  else draw();
}

function form() {
  fill(find("#forms"), section.forms?.(desk) ?? []);
}

function draw() {
  const rows = section.page ? pages.flat() : pages[0];
  if (section.load && rows === undefined) return;
  fill(find("#rows"), section.draw?.(rows, desk) ?? []);
  find("#older").hidden = !section.page || pages.at(-1)?.length !== section.page;
}

/** Reads what is shown, and again after a while. Older pages that are open stay until the section is left. */
async function read() {
  clearTimeout(timer);
  const number = (asked += 1);
  const from = section;
  try {
    const first = await from.load();
    if (number !== asked) return;
    failures = 0;
    if (problem.dataset.of === "reading") problem.textContent = "";
    // Who reads older ones is not thrown back: what came since stands before the first.
    const newest = pages[0]?.[0]?.id;
    if (from.page && pages.length > 1) {
      if (first[0]?.id !== newest) pages = [first];
    } else pages = [first];
    draw();
  } catch (error) {
    if (number !== asked) return;
    failures += 1;
    // Who could read this before has lost the right to.
    if (error.status === 403) return leave(error.message);
    refuse(error);
    problem.dataset.of = "reading";
    if (!me) return;
  }
  again();
}

function again() {
  clearTimeout(timer);
  if (!section.again || document.hidden) return;
  timer = setTimeout(read, Math.min(section.again * 2 ** Math.min(failures, 4), LONGEST_WAIT_MS));
}

async function older() {
  const number = (asked += 1);
  try {
    const more = await section.load(pages.at(-1)?.at(-1)?.id);
    if (number !== asked) return;
    pages.push(more);
    draw();
  } catch (error) {
    refuse(error);
  }
  again();
}

async function signIn(got) {
  find(".problem", gate).textContent = "";
  try {
    token.set(await got());
    await enter();
    for (const field of gate.querySelectorAll("input")) field.value = "";
    find("#part").focus();
  } catch (error) {
    leave(error.message);
  }
}

find("#as-immortal").addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(() => login(find("#gate-player").value.trim(), find("#gate-password").value));
});
find("#as-operator").addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(async () => find("#gate-token").value.trim());
});
find("#sign-out").addEventListener("click", () => leave());
find("#again").addEventListener("click", () => read());
find("#older").addEventListener("click", older);
addEventListener("hashchange", () => {
  turn();
  find("#part").focus();
});
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (!document.hidden && me && section.load) read();
});

theme.value = kept.get("theme", "auto");
document.documentElement.dataset.theme = theme.value;
theme.addEventListener("change", () => {
  kept.set("theme", theme.value);
  document.documentElement.dataset.theme = theme.value;
});

if (token.get()) {
  enter().catch((error) => (error.status ? leave(error.message) : desk.lost(error.message)));
} else leave();
