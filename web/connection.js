// The WebSocket to the game: frames out and in, and coming back by itself where it breaks, to what was missed
// (docs/PROTOCOL.md, "Coming back without a gap").

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15000;
const ANSWER_WAIT_MS = 2000;
export const KEPT_LINES_MAX = 20;
/** The server takes ten commands at once and ten a second (server/src/limits), and drops what exceeds that. */
const LINES_AT_ONCE = 5;
const LINE_EVERY_MS = 120;
/** What was typed so long before the connection came back is not sent: what it was meant for is over. */
export const STALE_MS = 10000;
/** Commands that may have to be sent again: more than are ever on their way. */
const SENT_MAX = 64;
/** The server closes with this reason where another connection goes on with the stream. */
const GOES_ON = "the stream goes on elsewhere";
/** Closing so leaves the game, and nothing is kept. */
const LEAVING = 1000;
/** After these errors nobody comes back by itself. */
const FINAL = new Set(["taken_over", "idle", "locked_out", "key_revoked", "retired", "too_many_connections"]);

export class Connection {
  #socket = null;
  #wait = 0;
  #timer = 0;
  #waitingLines = [];
  #lineTimer = 0;
  #final = "";
  #retryAfter = 0;
  #heard = 0;
  /** When the server was heard last on the connection before this one. */
  silentSince = 0;
  /** Of the stream: its name, the last frame's number, commands that were sent, the last one's id. */
  #stream = "";
  #seq = 0;
  #sent = [];
  #lastId = 0;

  /** `on.open()`, `on.frame(type, data)`, `on.status(text)`, `on.over(text, isFarewell)`, `on.stale(lines)`. */
  constructor(on) {
    this.on = on;
    this.playing = false;
    /** The stream goes on by this connection, and `resumed` has not come yet. */
    this.goesOn = false;
    addEventListener("online", () => this.#check());
    document.addEventListener("visibilitychange", () => document.hidden || this.#check());
  }

  open() {
    this.#stopTimers();
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
      const { type, seq, data } = JSON.parse(message.data);
      // What was said before the login has numbers of its own.
      if (this.#stream && seq === this.#seq + 1) this.goesOn ||= !this.playing;
      if (this.playing || this.goesOn) this.#seq = seq ?? 0;
      if (type === "error") {
        if (FINAL.has(data.code)) this.#final = data.message;
        this.#retryAfter = data.retry_after_ms ?? 0;
      }
      this.on.frame(type, data);
    });
    this.goesOn = false;
    socket.addEventListener("close", (event) => socket === this.#socket && this.#closed(event));
  }

  /** What the login says of the stream that is to go on; null where none can. */
  resume() {
    return this.#stream ? { stream: this.#stream, seq: this.#seq } : null;
  }

  /** It is in the game, by a `state` or by `resumed`: what was typed meanwhile goes out. */
  entered({ stream = "", last_command: taken } = {}) {
    const isBack = stream && stream === this.#stream;
    if (!isBack) {
      this.#stream = stream;
      this.#seq = 1;
      this.#sent = [];
      this.#lastId = 0;
    }
    this.playing = true;
    this.goesOn = false;
    this.#wait = 0;
    // What the server did not take comes before what was typed later; the older connection takes no more.
    const lost = this.#sent.filter(({ id }) => id > taken).map(({ command, at }) => ({ line: command, at }));
    this.#sent = [];
    const all = [...lost, ...this.#waitingLines];
    const isFresh = ({ at }) => Date.now() - at < STALE_MS;
    this.#waitingLines = all.filter(isFresh);
    const stale = all.filter((one) => !isFresh(one)).map(({ line }) => line);
    if (stale.length) this.on.stale(stale);
    this.#sendWaiting(LINES_AT_ONCE);
  }

  /** Sends a command, with an id where it may have to be sent again; false where it could not be. */
  #dispatch(line) {
    if (!this.#stream) return this.send("command", { command: line });
    const command = { command: line, id: this.#lastId + 1 };
    if (!this.send("command", command)) return false;
    this.#lastId = command.id;
    this.#sent.push({ ...command, at: Date.now() });
    if (this.#sent.length > SENT_MAX) this.#sent.shift();
    return true;
  }

  send(type, data) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify({ type, data }));
    return true;
  }

  /** What becomes of a line: `sent`, now or behind those that wait; `kept` for the connection; or `refused`. */
  command(line) {
    if (this.playing && !this.#waitingLines.length && this.#dispatch(line)) return "sent";
    if (this.#waitingLines.length >= KEPT_LINES_MAX) return "refused";
    this.#waitingLines.push({ line, at: Date.now() });
    return this.playing && this.#socket?.readyState === WebSocket.OPEN ? "sent" : "kept";
  }

  #sendWaiting(count) {
    this.#lineTimer = 0;
    for (let sent = 0; sent < count && this.#waitingLines.length; sent++) {
      // Where the connection breaks again, they wait for the next one.
      if (!this.#dispatch(this.#waitingLines[0].line)) return;
      this.#waitingLines.shift();
    }
    if (this.#waitingLines.length) this.#lineTimer = setTimeout(() => this.#sendWaiting(1), LINE_EVERY_MS);
  }

  close() {
    this.#stopTimers();
    this.playing = false;
    this.#waitingLines = [];
    this.#forgetStream();
    this.#drop(LEAVING);
  }

  #forgetStream() {
    this.#stream = "";
    this.#sent = [];
  }

  #stopTimers() {
    clearTimeout(this.#timer);
    clearTimeout(this.#lineTimer);
    this.#timer = this.#lineTimer = 0;
  }

  /** Without a code the stream is kept for whoever comes back. */
  #drop(code) {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code);
  }

  #closed(event) {
    this.#socket = null;
    this.#stopTimers();
    const played = this.playing;
    if (played) this.silentSince = this.#heard;
    this.playing = false;
    if (event.reason === GOES_ON) this.#final = "You go on in another window.";
    if (this.#final || event.code === 1000) {
      this.#waitingLines = [];
      this.#forgetStream();
      this.on.over(this.#final || "You have left the world.", !this.#final);
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
    const socket = this.#socket;
    this.send("subscribe", { variables: [], full: true });
    setTimeout(() => {
      if (socket !== this.#socket || !this.playing || this.#heard >= asked) return;
      this.#drop();
      this.#closed({ code: 1006 });
    }, ANSWER_WAIT_MS);
  }
}
