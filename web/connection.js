// The WebSocket to the game: frames out and in, and coming back by itself where it breaks.

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15000;
const ANSWER_WAIT_MS = 2000;
const KEPT_LINES_MAX = 20;
/** After these errors nobody comes back by itself. */
const FINAL = new Set(["taken_over", "idle", "locked_out", "key_revoked", "retired", "too_many_connections"]);

export class Connection {
  #socket = null;
  #wait = 0;
  #timer = 0;
  #waitingLines = [];
  #final = "";
  #retryAfter = 0;
  #heard = 0;

  /** `on.open()`, `on.frame(type, data)`, `on.status(text)`, `on.over(text)`. `playing` is set from outside. */
  constructor(on) {
    this.on = on;
    this.playing = false;
    addEventListener("online", () => this.#check());
    document.addEventListener("visibilitychange", () => document.hidden || this.#check());
  }

  open() {
    clearTimeout(this.#timer);
    this.#final = "";
    this.#drop();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws`);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      if (socket !== this.#socket) return;
      this.on.open();
    });
    socket.addEventListener("message", (message) => {
      if (socket !== this.#socket) return;
      this.#heard = Date.now();
      const { type, data } = JSON.parse(message.data);
      if (type === "error") {
        if (FINAL.has(data.code)) this.#final = data.message;
        this.#retryAfter = data.retry_after_ms ?? 0;
      }
      this.on.frame(type, data);
    });
    socket.addEventListener("close", (event) => socket === this.#socket && this.#closed(event));
  }

  /** It is in the game: what was typed meanwhile goes out. */
  entered() {
    this.playing = true;
    this.#wait = 0;
    for (const line of this.#waitingLines.splice(0)) this.command(line);
  }

  send(type, data) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify({ type, data }));
    return true;
  }

  /** False where it waits for the connection, or cannot even do that. */
  command(line) {
    if (this.playing && this.send("command", { command: line })) return true;
    if (this.#waitingLines.length < KEPT_LINES_MAX) this.#waitingLines.push(line);
    return false;
  }

  close() {
    clearTimeout(this.#timer);
    this.playing = false;
    this.#waitingLines = [];
    this.#drop();
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #closed(event) {
    this.#socket = null;
    const played = this.playing;
    this.playing = false;
    if (this.#final || event.code === 1000) {
      this.#waitingLines = [];
      this.on.over(this.#final || "You have left the world.");
      return;
    }
    const wait = Math.max(this.#retryAfter, played ? 0 : this.#wait);
    this.#retryAfter = 0;
    this.#wait = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, this.#wait * 2));
    const when = wait < 1000 ? "now" : `in ${Math.round(wait / 1000)} s`;
    this.on.status(`The connection is lost. Trying again ${when} …`);
    this.#timer = setTimeout(() => this.open(), wait);
  }

  /** After a sleep of the machine or another network: whether anybody is still there. */
  #check() {
    if (!this.#socket) {
      if (this.#timer && !this.#final) this.open();
      return;
    }
    if (!this.playing) return;
    const asked = Date.now();
    this.send("subscribe", { variables: [], full: true });
    setTimeout(() => {
      if (!this.playing || this.#heard >= asked) return;
      this.#drop();
      this.#closed({ code: 1006 });
    }, ANSWER_WAIT_MS);
  }
}
