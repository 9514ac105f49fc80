// What the observatory asks the server: answers as JSON, and the stream of who is where.

const TOKEN = "watch-token";
/** From the first try to reach the server again to the longest pause. */
const AGAIN_MS = 1000;
const AGAIN_LONGEST_MS = 20000;

/** With whose eyes this tab looks, of this tab only: who plays in it, until somebody chooses. Empty: a visitor's. */
export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? sessionStorage.getItem("token"),
  set(value) {
    sessionStorage.setItem(TOKEN, value ?? "");
  },
};

function headers() {
  const own = token.get();
  return own ? { Authorization: `Bearer ${own}` } : {};
}

/** An answer; what is refused is an error with the server's own sentence, and its status. */
async function settled(answer) {
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(error?.message ?? "The server does not answer."), { status: answer.status });
}

export async function ask(path, signal) {
  return (await settled(await fetch(`/api/v1/${path}`, { headers: headers(), signal }))).json();
}

/** Series of so many hours up to a time, by their keys; without one, as nobody knows when a moment was, empty. */
export async function seriesOf(keys, to, hours, name = "") {
  if (to === null) return new Map(keys.split(",").map((key) => [key, []]));
  const from = to - hours * 3_600_000;
  const { series } = await ask(`series?keys=${keys}${name && `&name=${name}`}&from=${from}&to=${to}`);
  return new Map(series.map(({ key, points }) => [key, points]));
}

export async function login(name, password) {
  const answer = await fetch("/api/v1/login", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name, password }),
  });
  return (await settled(answer)).json();
}

/** Reads the stream for as long as the page is there; whoever opens another ends this one. */
export class Stream {
  #stop = new AbortController();
  #wait = AGAIN_MS;

  /** `hear(type, data)`; `lost(sentence)`: it is tried again, `over(error)`: it is not. */
  constructor(zone, hear, lost, over) {
    this.hear = hear;
    this.lost = lost;
    this.over = over;
    this.#read(zone);
  }

  close() {
    this.#stop.abort();
  }

  async #read(zone) {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const query = zone === null ? "" : `?zone=${zone}`;
        const answer = await settled(await fetch(`/api/v1/watch${query}`, { headers: headers(), signal }));
        this.#wait = AGAIN_MS;
        await this.#listen(answer.body.pipeThrough(new TextDecoderStream()).getReader());
      } catch (error) {
        if (signal.aborted) return;
        if (error.status && error.status !== 429 && error.status < 500) return this.over(error);
      }
      if (signal.aborted) return;
      this.lost("The server is silent. What you see may be old; it is asked again.");
      await new Promise((done) => setTimeout(done, this.#wait));
      this.#wait = Math.min(this.#wait * 2, AGAIN_LONGEST_MS);
    }
  }

  async #listen(reader) {
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        const lines = part.split("\n");
        const of = (name) => lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
        const data = of("data").join("\n");
        if (data) this.hear(of("event")[0] ?? "news", JSON.parse(data));
      }
    }
  }
}
