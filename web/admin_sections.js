// The sections of the operators' page, a row of SECTIONS each: what is asked, how it is drawn, what can be done.
//
// `needs` is the call without which a section is not there. `desk` has what all of them use: `may(call)`, `act(sentence,
// work)` (does something and tells how it went), `isAbove(level)`, `refresh()`, `redraw()`, `reform()` and
// `lost(sentence)`, where the server goes away.

import { call } from "./admin_api.js";
import { ask, copy, showKey } from "./admin_dialogs.js";
import { facts, form, input, moment, select, span, table } from "./admin_rows.js";
import { button, make } from "./dom.js";

const SPANS = [["", "for good"], ["1h", "1 hour"], ["12h", "12 hours"], ["24h", "a day"], ["7d", "7 days"], ["30d", "30 days"]];
const plural = (count, word, words = `${word}s`) => `${count} ${count === 1 ? word : words}`;

const sessions = {
  key: "sessions", name: "Sessions", needs: "GET sessions", again: 4000,
  about: "Who is connected and plays. Who is sent off is saved, and may come back at once; whom you do not want back, ban.",
  load: () => call("GET", "sessions"),
  draw(rows, desk) {
    const people = rows.filter(({ kind }) => kind === "person").length;
    const told = rows.length ? [make("p", { class: "told" }, `${plural(people, "person", "people")}, ${plural(rows.length - people, "agent")}`)] : [];
    const columns = [
      { name: "Name", of: ({ name }) => make("strong", {}, name) },
      { name: "Kind", of: ({ kind, level }) => (level == null ? kind : `${kind}, level ${level}`) },
      { name: "By", of: ({ transport }) => transport },
      { name: "Address", of: ({ address }) => make("code", {}, address) },
      { name: "Since", of: ({ since }) => moment(since) },
      { name: "Silent", of: ({ idle_s: idle }) => span(idle) },
    ];
    if (desk.may("POST disconnect")) columns.push({ name: "", of: (row) => (desk.isAbove(row.level) ? sendOff(row, desk) : "") });
    return [...told, table("Sessions", columns, rows, "Nobody plays just now.")];
  },
};

function sendOff({ name }, desk) {
  return button("Disconnect", `disconnect-${name}`, async () => {
    const reason = await ask({ title: `Send ${name} off?`, what: `${name} leaves the world, saved, and the connection ends.`, label: "Why? The player reads it; it may be empty.", button: `Disconnect ${name}` });
    if (reason !== null) desk.act(`${name} is disconnected.`, () => call("POST", "disconnect", { who: name, reason }));
  });
}

const limits = {
  key: "limits", name: "Limits", needs: "GET limits", again: 5000,
  about: "What one caller may take, and how much of it is taken. A limit is set by its flag or its key in the config file, and changes with a hot restart; 0 lifts one.",
  load: () => call("GET", "limits"),
  draw({ in_use: used, limits: rows }) {
    const most = rows.find(({ flag }) => flag === "--connections")?.value;
    const of = (count, max) => (max ? `${count} of ${max}` : `${count}`);
    const part = (name, ...children) => [make("h3", {}, name), ...children];
    return [
      facts([
        ["Connections", of(used.connections, most)], ["of them in the game", used.sessions], ["Connections refused", used.connections_refused],
        ["Addresses locked out", used.addresses_locked_out], ["Lock-outs since the start", used.lockouts], ["Accounts made to wait", used.back_offs],
        ["Commands too fast", used.commands_refused], ["Bans", of(used.bans, used.bans_max)], ["Addresses remembered", used.addresses_remembered],
      ]),
      ...part("Who has most connections", table("Callers", [
        { name: "Address", of: ({ origin }) => make("code", {}, origin) },
        { name: "To play", of: ({ play, play_max: max }) => of(play, max) },
        { name: "Pages and calls", of: ({ requests, requests_max: max }) => of(requests, max) },
      ], used.callers, "Nobody is connected.")),
      ...part("Limits in force", table("Limits", [
        { name: "Flag", of: ({ flag }) => make("code", {}, flag) },
        { name: "Is", of: ({ value, what }) => value ?? /\[default: ([^\]]*)\]/.exec(what)?.[1] ?? "as ever" },
        { name: "For", of: ({ what }) => what.replace(/\s*\[default:[^\]]*\]/, ""), wide: true },
      ], rows, "This server has no limits.")),
    ];
  },
};

const bans = {
  key: "bans", name: "Bans", needs: "GET bans", again: 5000,
  about: "Who is kept out: a character by its name, or an address or network, such as 192.0.2.0/24. A ban holds at once, and whom it meets is put out, saved.",
  load: () => call("GET", "bans"),
  forms(desk) {
    if (!desk.may("POST bans")) return [];
    const fields = [
      { label: "Whom", field: input("who", { required: "", placeholder: "name, address or network" }) },
      { label: "How long", field: select("for", SPANS) },
      { label: "Why (the banned read it)", field: input("reason", { maxlength: "200", spellcheck: "true", autocapitalize: "sentences" }) },
    ];
    return [form("Ban somebody", fields, "Ban", (values, element) => desk.act(`${values.who} is banned.`, () => call("POST", "bans", values), () => element.reset()))];
  },
  draw(rows, desk) {
    const columns = [
      { name: "Who", of: ({ who }) => make("strong", {}, who) },
      { name: "Until", of: ({ until }) => (until ? moment(until) : "for good") },
      { name: "Why", of: ({ reason }) => reason, wide: true },
      { name: "By", of: ({ by }) => by },
      { name: "Since", of: ({ since }) => moment(since) },
    ];
    if (desk.may("POST unban")) columns.push({ name: "", of: ({ who }) => button("Lift", `lift-${who}`, () => desk.act(`${who} may come in again.`, () => call("POST", "unban", { who }))) });
    return [table("Bans", columns, rows, "Nobody is banned.")];
  },
};

const complaints = {
  key: "complaints", name: "Complaints", needs: "GET complaints", again: 10000, page: 10,
  about: "What players complained of, the newest first. Each line makes a second server of that very moment, to look at what happened.",
  load: (before) => call("GET", "complaints", { before }),
  draw(rows) {
    if (!rows.length) return [make("p", { class: "none" }, "Nobody has complained.")];
    const card = ({ id, by, about, room, place, words, tick, input: number, at, fork }) => {
      const line = make("code", { tabindex: "0" }, fork);
      const copier = button("Copy", `copy-${id}`, () => copy(line, copier));
      copier.setAttribute("aria-label", `Copy the line for complaint ${id}`);
      return make("li", {},
        make("h3", {}, `#${id}: ${by} about ${about}`), make("blockquote", {}, words),
        make("p", { class: "told" }, `${place} (${room}), `, moment(at), `, tick ${tick}, input ${number}`),
        make("p", { class: "line" }, line, copier));
    };
    return [make("ul", { class: "cards" }, ...rows.map(card))];
  },
};

const keys = {
  key: "keys", name: "Keys", needs: "GET keys", again: 10000,
  about: "With a key a program logs in as one character, or as a host for all agents of an owner. A key itself is shown once, when it is made.",
  load: () => call("GET", "keys"),
  forms(desk) {
    if (!desk.may("POST keys")) return [make("p", { class: "told" }, "Who has the admin token makes and revokes keys.")];
    const made = (path) => (values, element) => desk.act("A key is made.", () => call("POST", path, values), (answer) => {
      element.reset();
      showKey(answer);
    });
    return [
      form("A key of a character", [{ label: "Name (made where there is none)", field: input("name", { required: "" }) }], "Make a key", made("keys")),
      form("A key for a host", [{ label: "Owner of the agents", field: input("owner", { required: "" }) }], "Make a host's key", made("host-keys")),
    ];
  },
  draw(rows, desk) {
    const columns = [
      { name: "Name", of: ({ name }) => make("strong", {}, name) },
      { name: "Key", of: ({ key }) => make("code", {}, key) },
      { name: "For", of: ({ host }) => (host ? "all agents of the owner" : "the character") },
      { name: "Made", of: ({ created_at: at }) => moment(at) },
      { name: "Last used", of: ({ last_used_at: at }) => (at ? moment(at) : "never") },
      { name: "State", of: ({ revoked_at: at }) => (at ? ["revoked ", moment(at)] : "valid") },
    ];
    if (desk.may("POST revoke")) columns.push({ name: "", of: (row) => (row.revoked_at ? "" : revoke(row, desk)) });
    return [table("Keys", columns, rows, "There are no keys.")];
  },
};

function revoke({ id, host, name, key }, desk) {
  const number = `${host ? "h" : ""}${id}`;
  const act = button("Revoke", `revoke-${number}`, async () => {
    const is = await ask({ title: `Revoke a key of ${name}?`, what: `${key} is good for nothing from then on, and the sessions that came in by it end. A new key can be made at any time.`, button: "Revoke it" });
    if (is !== null) desk.act(`A key of ${name} is revoked.`, () => call("POST", "revoke", { key: number }));
  });
  act.setAttribute("aria-label", `Revoke ${key} of ${name}`);
  return act;
}

/** What is looked for in the audit, and every action that was seen in it. */
let action = "";
const seen = new Set();

const audit = {
  key: "audit", name: "Audit", needs: "GET audit", again: 10000, page: 100,
  about: "What was done by operators, here and in the game, and whose minds they looked at.",
  load: (before) => call("GET", "audit", { before, action }),
  forms(desk) {
    const box = select("action", [["", "everything"], ...[...seen].sort().map((word) => [word, word])], { id: "audit-action", "data-key": "audit-action" });
    box.value = action;
    box.addEventListener("change", () => {
      action = box.value;
      desk.refresh();
    });
    return [make("p", { class: "filter" }, make("label", { for: "audit-action" }, "Show"), box)];
  },
  draw(rows, desk) {
    const before = seen.size;
    for (const row of rows) seen.add(row.action);
    if (seen.size !== before) desk.reform();
    return [table("Audit", [
      { name: "When", of: ({ at }) => moment(at) },
      { name: "Who", of: ({ actor }) => make("strong", {}, actor) },
      { name: "Where", of: ({ origin }) => ({ admin: "/admin", api: "/api/v1" })[origin] ?? `in the ${origin}` },
      { name: "What", of: ({ action: word }) => word },
      { name: "Whom", of: ({ target }) => target },
      { name: "More", of: ({ detail }) => detail, wide: true },
    ], rows, action ? `Nothing of the kind “${action}” is noted.` : "Nothing is noted yet.")];
  },
};

const announce = {
  key: "announce", name: "Announce", needs: "POST announce",
  about: "What you write here everybody in the game reads at once.",
  forms: (desk) => [form("Tell everybody", [{ label: "Your words", field: make("textarea", { name: "text", rows: "3", required: "", maxlength: "500" }) }], "Announce", (values, element) => {
    const text = values.text.replace(/\s+/g, " ").trim();
    if (text) desk.act("Everybody has read it.", () => call("POST", "announce", { text }), () => element.reset());
  })],
};

/** What came of the last reload, to be read until the next. */
let reloaded = null;

const reload = {
  key: "reload", name: "Reload", needs: "POST reload",
  about: "Reads again what can change while the server runs: certificates, the filter of the log, the origins of pages, bans, and the listing. What the world itself reads waits for a hot restart. The signal SIGHUP does the same.",
  forms(desk) {
    const again = (path, sentence) => () => desk.act(sentence, () => call("POST", path), (answer) => {
      reloaded = { path, ...answer };
      desk.redraw();
    });
    const settings = button("Reload the settings", "reload", again("reload", "The settings are read again."));
    settings.className = "main";
    const buttons = [settings];
    if (desk.may("POST scripts/reload")) buttons.push(button("Reload the scripts", "scripts", again("scripts/reload", "The scripts are read again.")));
    return [make("p", { class: "ends" }, ...buttons)];
  },
  draw() {
    if (!reloaded) return [make("p", { class: "none" }, "Nothing was read again from here yet.")];
    const list = (name, rows, none) => [make("h3", {}, name), rows?.length ? make("ul", {}, ...rows.map((row) => make("li", {}, row))) : make("p", { class: "none" }, none)];
    const problems = list("Problems", reloaded.problems, "None.");
    if (reloaded.problems?.length) problems[1].className = "wrong";
    if (reloaded.path !== "reload") return [...problems, ...list("Scripts that are others now", reloaded.changed, "None: they are as they were.")];
    return [...problems, ...list("Taken", reloaded.taken, "Nothing."), ...list("Waits for a hot restart", reloaded.needs_restart, "Nothing: all that was read is in force.")];
  },
};

const stop = {
  key: "stop", name: "Stop and restart", needs: "POST shutdown",
  about: "Everybody is saved first, whichever it is.",
  forms(desk) {
    const grave = (title, what, text, action) => {
      const act = button(text, text, action);
      act.className = "grave";
      return make("div", { class: "card" }, make("h3", {}, title), make("p", {}, what), act);
    };
    return [
      grave("Hot restart", "The program on disk takes over, with new files of the world. People by telnet stay connected; pages and programs come back by themselves. A program that is no good is refused, and nothing happens.", "Restart …", async () => {
        const is = await ask({ title: "Restart the server?", what: "The program on disk is tried first. If it is fit, it takes over within seconds.", word: "copyover", button: "Restart" });
        if (is !== null) desk.act("The program on disk takes over.", () => call("POST", "copyover"), () => desk.lost("The server restarts."));
      }),
      grave("Shutdown", "The server ends. It has to be started by hand, or by what watches over it.", "Shut down …", async () => {
        const is = await ask({ title: "Shut the server down?", what: "Everybody is told and sent off. This page cannot start it again.", word: "shutdown", button: "Shut down" });
        if (is !== null) desk.act("The server ends.", () => call("POST", "shutdown"), () => desk.lost("The server has ended, or is about to."));
      }),
    ];
  },
};

export const SECTIONS = [sessions, limits, bans, complaints, keys, audit, announce, reload, stop];
