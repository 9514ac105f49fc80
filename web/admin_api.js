// What the operators' page asks the server: the calls below /admin, and a token for who signs in by name.

const TOKEN = "admin-token";

/** Of this tab only. Empty: nobody is signed in. */
export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set(value) {
    if (value) sessionStorage.setItem(TOKEN, value);
    else sessionStorage.removeItem(TOKEN);
  },
};

/** An answer as JSON; what is refused is an error with the server's own sentence, and its status. */
async function settled(answer) {
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  const said = body?.error?.message ?? body?.error;
  const message = typeof said === "string" ? said : `The server answers with ${answer.status} and says no more.`;
  throw Object.assign(new Error(message), { status: answer.status, wait: Number(answer.headers.get("Retry-After")) || 0 });
}

async function send(path, options) {
  let answer;
  try {
    answer = await fetch(path, { cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw Object.assign(new Error("The server does not answer."), { status: 0, wait: 0 });
  }
  return settled(answer);
}

/** A call: `call("POST", "unban", { who: "Bob" })`. What is empty is left out. */
export function call(method, path, query = {}, signal) {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value != null)).toString();
  const headers = { Authorization: `Bearer ${token.get()}` };
  return send(`/admin/${path}${asked ? `?${asked}` : ""}`, { method, headers, signal });
}

export async function login(name, password) {
  const body = JSON.stringify({ name, password });
  return (await send("/api/v1/login", { method: "POST", headers: { "Content-Type": "application/json" }, body })).token;
}
