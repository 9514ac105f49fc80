// The page's connection by itself: what it says when it comes back, and what it sends again. Run with the folder of the
// repository.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const sockets = [];
const listeners = {};
globalThis.WebSocket = class {
  static OPEN = 1;
  readyState = 1;
  sent = [];
  closed = null;
  on = {};
  constructor(url) {
    this.url = url;
    sockets.push(this);
  }
  addEventListener(name, hear) {
    this.on[name] = hear;
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close(code) {
    this.readyState = 3;
    this.closed = code ?? "no code";
  }
  says(type, seq, data) {
    this.on.message({ data: JSON.stringify({ type, seq, data }) });
  }
  breaks(event = { code: 1006, reason: "" }) {
    this.readyState = 3;
    this.on.close(event);
  }
};
globalThis.location = { protocol: "http:", host: "here" };
globalThis.addEventListener = (name, hear) => (listeners[name] = hear);
globalThis.document = { addEventListener: (name, hear) => (listeners[name] = hear), hidden: false };

const { Connection } = await import(pathToFileURL(`${process.argv[2]}/web/connection.js`));
const told = [];
let over = "";
const connection = new Connection({
  open: () => {},
  frame: (type, data) => {
    told.push(type);
    if (type === "state" || type === "resumed") connection.entered(data);
  },
  status: () => {},
  over: (text) => (over = text),
});
const moment = () => new Promise((done) => setTimeout(done, 20));
const typed = (socket) => socket.sent.map(({ data }) => [data.id, data.command]);

connection.open();
assert.equal(connection.resume(), null);
sockets[0].says("state", 1, { stream: "s", resumed: false });
sockets[0].says("text", 2, { text: "The Green" });
assert.equal(connection.command("one"), "sent");
assert.equal(connection.command("two"), "sent");
assert.deepEqual(typed(sockets[0]), [[1, "one"], [2, "two"]]);
sockets[0].says("text", 3, { text: "One." });

// It breaks; what is typed meanwhile is kept.
sockets[0].breaks();
assert.equal(connection.command("three"), "kept");
await moment();
assert.equal(sockets.length, 2, "at once");
assert.deepEqual(connection.resume(), { stream: "s", seq: 3 });
// An error of the login is none of the stream's frames.
sockets[1].says("error", 1, { code: "internal", message: "Later." });
assert.deepEqual([connection.resume().seq, connection.goesOn], [3, false]);
sockets[1].says("error", 4, { code: "bad_field", message: "It was said before." });
assert.equal(connection.goesOn, true);
sockets[1].says("resumed", 5, { stream: "s", missed: 1, last_command: 1 });
assert.deepEqual(typed(sockets[1]), [[3, "two"], [4, "three"]]);
assert.equal(connection.resume().seq, 5);

// The stream is gone: nothing is done twice.
sockets[1].breaks();
await moment();
sockets[2].says("state", 1, { stream: "t", resumed: false });
assert.deepEqual(typed(sockets[2]), []);
assert.deepEqual(connection.resume(), { stream: "t", seq: 1 });
assert.equal(connection.command("four"), "sent");
assert.deepEqual(typed(sockets[2]), [[1, "four"]]);

// Another window has it.
sockets[2].breaks({ code: 1008, reason: "the stream goes on elsewhere" });
await moment();
assert.deepEqual([sockets.length, over, connection.resume()], [3, "You go on in another window.", null]);

// Who leaves says so, and a connection that nobody answers is dropped without.
connection.open();
sockets[3].says("state", 1, { stream: "u", resumed: false });
connection.close();
assert.equal(sockets[3].closed, 1000);
