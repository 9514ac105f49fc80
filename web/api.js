// The page of calls: the description that the server makes of itself, for people.

import { find, make } from "./dom.js";

const main = find("#calls");
const status = find("#calls [role=status]");

/** One section a call, by their groups. */
function show({ info, paths, tags }) {
  const calls = Object.entries(paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), ...call }));
  });
  for (const { name, description } of tags) {
    const own = calls.filter((call) => call.tags?.includes(name));
    if (!own.length) continue;
    main.append(make("h2", {}, description), ...own.map(section));
  }
  status.textContent = `Version ${info.version}, ${calls.length} calls.`;
}

function section({ path, method, summary, description, parameters = [], requestBody, responses, security = [] }) {
  const isFree = !security.length || security.some((way) => !Object.keys(way).length);
  const parts = [
    make("h3", {}, make("b", {}, method), " ", make("code", {}, path)),
    make("p", {}, [summary, description].filter(Boolean).join(". ").replace(/([^.])$/, "$1.")),
    make("p", { class: "quiet" }, isFree ? "Anybody may ask." : "Needs Authorization: Bearer with a token."),
  ];
  if (parameters.length) {
    parts.push(make("ul", {}, ...parameters.map(({ name, description = "", example, required }) => {
      const notes = [description, example === undefined ? "" : `as ${example}`, required ? "" : "may be left out"];
      return make("li", {}, make("code", {}, name), ` ${notes.filter(Boolean).join("; ")}`);
    })));
  }
  if (requestBody) parts.push(make("p", {}, "With a body of JSON; its fields are in the description."));
  const example = responses["200"]?.content?.["application/json"]?.example;
  if (example) parts.push(make("pre", { tabindex: "0", "aria-label": `An answer of ${path}` }, JSON.stringify(example, null, 2)));
  return make("section", {}, ...parts);
}

try {
  const answer = await fetch("/api/v1/openapi.json");
  if (!answer.ok) throw new Error(answer.statusText);
  show(await answer.json());
} catch {
  status.textContent = "The list cannot be read just now. Load the page again in a moment.";
}
main.setAttribute("aria-busy", "false");
