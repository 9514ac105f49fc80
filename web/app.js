// Puts the parts together: what the server says goes to them, what they send goes to the server.

import { Connection } from "./connection.js";
import { find, kept } from "./dom.js";
import { Line } from "./line.js";
import { Log } from "./log.js";
import { Login } from "./login.js";
import { OwnButtons } from "./own_buttons.js";
import { Panels, VARIABLES } from "./panels.js";

const status = find("#status");
const game = find("#game");
const keys = find("#keys");
const theme = find("#theme");

const log = new Log();
const connection = new Connection({
  open: () => login.opened(),
  frame: receive,
  status: (text) => (status.textContent = text),
  over: (text) => {
    game.hidden = true;
    find("#who").textContent = "";
    status.textContent = "";
    login.show(text);
  },
});
const login = new Login(connection);
const panels = new Panels(type, (text) => line.begin(text));
const line = new Line(type, () => panels.words(), () => keys.showModal());
new OwnButtons(type);
let name = "";

/** What the player does, shown and sent. */
function type(text, isSecret = false) {
  log.add(isSecret ? "> password …" : `> ${text}`, "typed");
  log.toEnd();
  if (!connection.command(text)) status.textContent = "Not connected. What you type is kept and sent later.";
}

function receive(type, data) {
  if (login.frame(type, data)) return;
  switch (type) {
    case "state":
      enter(data);
      break;
    case "text":
      log.add(data.text);
      break;
    case "event":
      log.add(data.text, data.type);
      break;
    case "vars":
      see(data);
      break;
    case "token_refresh":
      sessionStorage.setItem("token", data.token);
      break;
    case "error":
      log.add(data.message, "problem");
      break;
  }
}

function enter(state) {
  if (state.player.name !== name) {
    name = state.player.name;
    log.clear();
    panels.clear();
  }
  find("#who").textContent = name;
  document.title = `${name} – Dark Pawns`;
  status.textContent = "";
  game.hidden = false;
  login.entered(state.token);
  connection.entered();
  connection.send("subscribe", { variables: VARIABLES });
  line.focus();
}

function see(changes) {
  panels.update(changes);
  if ("ROOM_VNUM" in changes || "ROOM_NAME" in changes) log.setPlace(panels.vars.ROOM_NAME);
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

login.resume();
