// A decision, as its commands: those that one would type, with the JSON that went with them behind a fold.

import { make } from "./dom.js";
import { typed } from "./watch_typed.js";
import { linkTo } from "./watch_past.js";

/** What is no JSON says nothing. */
function parsed(text) {
  try {
    return JSON.parse(text ?? "null") ?? {};
  } catch {
    return {};
  }
}

const spent = ({ prompt, cached, output }) => `${prompt} tokens read (${cached} cached), ${output} written`;

/** What it cost, where that is known. */
function priceOf({ tokens, cost }) {
  if (!tokens || !(tokens.prompt || tokens.output)) return "";
  return typeof cost === "number" ? `cost ${cost.toFixed(5)}` : "price not known";
}

/** What calls took that no command came of. */
function besides(thoughts) {
  if (!thoughts?.calls || !thoughts.tokens) return "";
  const { calls, priced = 0, tokens, cost = 0 } = thoughts;
  const price = !priced ? "price not known" : `cost ${cost.toFixed(5)}${priced < calls ? `, price known of ${priced}` : ""}`;
  return `besides ${calls} ${calls === 1 ? "call" : "calls"} without a command: ${spent(tokens)}, ${price}`;
}

export function decision(row, looksBack) {
  const meta = parsed(row.meta);
  const { tokens, latency_ms: latency } = meta;
  const memories = parsed(row.memory_ids);
  const facts = [
    row.source && (row.source === "model" && row.model ? `model ${row.model}` : row.source),
    meta.by && row.source !== "model" ? String(meta.by) : "",
    row.source === "model" && row.model && meta.by && meta.by !== row.model ? `asked as ${meta.by}` : "",
    tokens && spent(tokens), priceOf(meta), typeof latency === "number" && `${(latency / 1000).toFixed(1)} s of thought`,
    besides(meta.thoughts),
    Array.isArray(memories) && memories.length && `memories in mind: ${memories.join(", ")}`,
  ].filter(Boolean);
  const tick = looksBack ? make("a", { href: linkTo(row.tick) }, `tick ${row.tick}`) : `tick ${row.tick}`;
  const { lines, json } = typed(row.command, row.args);
  const parts = lines.map((line) => make("code", {}, line));
  parts.push(make("span", { class: "facts" }, tick, ...facts.map((fact) => ` · ${fact}`)));
  const reason = typeof meta.reason === "string" && meta.reason !== meta.by ? meta.reason : "";
  if (reason) parts.push(make("q", {}, reason));
  if (row.error) parts.push(make("span", { class: "problem" }, row.error));
  if (json !== null) {
    const key = `json-${row.at}-${row.number}-${row.part}`;
    parts.push(make("details", { "data-key": key }, make("summary", {}, "As it was sent"), make("pre", { tabindex: "0" }, json)));
  }
  return make("li", { "data-source": row.source ?? "" }, ...parts);
}
