// Puts the parts together: what the server says goes to them, what they send goes to the server.

import { Connection, KEPT_LINES_MAX } from "./connection.js";
import { missed } from "./gap.js";
import { find, kept } from "./dom.js";
import { Line } from "./line.js";
import { Links } from "./links.js";
import { Log } from "./log.js";
import { Login } from "./login.js";
import { WorldMap } from "./map.js";
import { OwnButtons } from "./own_buttons.js";
import { Panels, VARIABLES } from "./panels.js";
import { strip } from "./secrets.js";
import { load as loadVerbs } from "./verbs.js";

const status = find("#status");
const game = find("#game");
const keys = find("#keys");
const theme = find("#theme");

const log = new Log();
const connection = new Connection({
  open: () => login.opened(),
  frame: receive,
  status: (text) => (status.textContent = text),
  stale: (lines) => {
    const told = lines.map((line) => strip(line)).map(({ line, secret }) => (secret ? `${line} …` : line));
    log.add(`Typed too long ago to be sent: ${told.join("; ")}. Type it again if you still want it.`, "problem");
  },
  over: (text, isFarewell) => {
    game.hidden = true;
    find("#who").textContent = "";
    status.textContent = "";
    login.show(text, isFarewell);
  },
});
const login = new Login(connection);
const panels = new Panels(type, (text) => line.begin(text));
const map = new WorldMap(type);
const line = new Line(type, () => panels.words(), () => keys.showModal());
new OwnButtons(type);
new Links(type, (text) => line.begin(text), (id) => panels.nameOf(id), () => line.focus());
const KEPT = "What you type now is sent when you are back.";
/** A shorter absence is not worth a line. */
const ABSENCE_MS = 3000;
let name = "";
/** The server said that it starts anew, and is not back yet. */
let startsAnew = false;
/** Of the lines that were read before a gap, those by which its beginning is found. */
const READ_BEFORE = 12;
/** The room whose text is in the log already, while the first text of a connection that came back is awaited. */
let readBefore = null;

/** What the player does, sent, and shown as `shown` without what is secret. Whether it was taken. */
function type(text, shown = text) {
  const fate = connection.command(text);
  if (fate === "refused") {
    status.textContent = `${KEPT_LINES_MAX} lines wait to be sent. This one was not taken; send it again later.`;
    return false;
  }
  const { line, secret } = strip(shown);
  log.add(secret ? `> ${line} …` : `> ${line}`, "typed");
  log.toEnd();
  if (fate === "kept" && !status.textContent.includes(KEPT)) status.textContent = `${status.textContent} ${KEPT}`.trim();
  return true;
}

function receive(type, data) {
  if (login.frame(type, data)) return;
  switch (type) {
    case "state":
      enter(data);
      startsAnew = false;
      break;
    case "resumed":
      status.textContent = "";
      login.cameBack();
      if (startsAnew || absence() > ABSENCE_MS) log.add(back(), "notice");
      connection.entered(data);
      startsAnew = false;
      break;
    case "text":
      if (!isReadBefore(data.text)) log.add(data.text, "text", data.spans);
      break;
    case "event":
      greetOrTell(data);
      break;
    case "vars":
      see(data);
      break;
    case "token_refresh":
      sessionStorage.setItem("token", data.token);
      break;
    case "error":
      // That it should connect again is told to programs: the page does.
      if (data.code === "restarting") {
        startsAnew = true;
        log.add("The server starts anew. You will be connected again in a moment.", "notice");
      } else {
        log.add(data.message, "problem");
      }
      break;
  }
}

function enter(state) {
  const isBack = !game.hidden && state.player.name === name;
  readBefore = null;
  if (isBack) {
    log.add(back(), "notice");
    readBefore = state.room.vnum === panels.vars.ROOM_VNUM ? state.room.name : "";
  } else if (state.player.name !== name) {
    name = state.player.name;
    log.clear();
    panels.clear();
    map.clear();
    line.isOf(name);
    if (login.isNew) log.fromStart();
  }
  find("#who").textContent = name;
  document.title = `${name} – Dark Pawns`;
  status.textContent = "";
  game.hidden = false;
  login.entered(state.token, name);
  connection.entered(state);
  connection.send("subscribe", { variables: VARIABLES });
  line.focus();
  if (isBack) fillGap(state);
}

const absence = () => (connection.silentSince ? Date.now() - connection.silentSince : 0);

function back() {
  const seconds = Math.round(absence() / 1000);
  return seconds > 1 ? `You are connected again, after ${seconds} seconds.` : "You are connected again.";
}

/** What the game told while nobody listened, where the stream could not go on: after a crash, or a long sleep. */
async function fillGap({ world, token, player }) {
  const lines = await missed(token, world?.tick, connection.silentSince, log.readBefore(READ_BEFORE));
  if (player.name === name) log.fill(lines);
}

/** Who was away for a moment is not welcomed; what else the greeting tells is news. */
function greetOrTell({ type, text, spans }) {
  const told = type === "motd" && readBefore !== null ? text.split("\n\n").slice(1).join("\n\n") : text;
  if (told) log.add(told, type, told === text ? spans : []);
}

/** The first text of a connection is the room. */
function isReadBefore(text) {
  const isSame = readBefore && text.split("\n", 1)[0] === readBefore;
  readBefore = null;
  return isSame;
}

function see(changes) {
  panels.update(changes);
  if ("ROOM_VNUM" in changes || "ROOM_NAME" in changes) log.setPlace(panels.vars.ROOM_NAME);
  if ("ROOM_VNUM" in changes) map.at(changes.ROOM_VNUM);
}

function dress(choice) {
  document.documentElement.dataset.theme = choice;
}

theme.value = kept.get("theme", "auto");
dress(theme.value);
theme.addEventListener("change", () => {
  kept.set("theme", theme.value);
  dress(theme.value);
});
find("#show-keys").addEventListener("click", () => keys.showModal());
keys.addEventListener("close", () => game.hidden || line.focus());

addEventListener("keydown", (event) => {
  if (game.hidden || find("dialog[open]")) return;
  if (event.key === "F6") {
    event.preventDefault();
    const parts = [find("#line"), find("#log"), find("#panels")];
    const at = parts.findIndex((part) => part.contains(document.activeElement));
    parts[(at + (event.shiftKey ? parts.length - 1 : 1)) % parts.length].focus();
  } else if (event.altKey && /^Digit[1-9]$/.test(event.code)) {
    event.preventDefault();
    find("#spoken").textContent = log.line(Number(event.code.slice(5))) ?? "There is no such line.";
  } else if (event.key === "PageUp" || event.key === "PageDown") {
    event.preventDefault();
    log.page(event.key === "PageUp" ? -1 : 1);
  }
});

loadVerbs();
login.resume();
