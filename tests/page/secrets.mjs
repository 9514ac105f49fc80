// The examples of world/src/commands/secrets.rs against web/secrets.js, which hides lines by the same rule.
// node secrets.mjs ROOT VERBS, with the file of verbs as the server sends it.

import assert from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [root, verbsFile] = process.argv.slice(2);
globalThis.fetch = async () => ({ ok: true, json: async () => JSON.parse(fs.readFileSync(verbsFile, "utf8")) });
const page = (name) => import(pathToFileURL(path.join(root, "web", name)));
const [{ load }, { strip }] = [await page("verbs.js"), await page("secrets.js")];

const rust = fs.readFileSync(path.join(root, "world/src/commands/secrets.rs"), "utf8");
const between = (from, to) => rust.slice(rust.indexOf(from), rust.indexOf(to));
const text = (literal) => JSON.parse(literal);
const rows = [...between("fn what_could_be", "fn everything_else").matchAll(/\(("[^"]*"), ("[^"]*"), ("[^"]*")\),/g)];
const open = [...between("fn everything_else", "fn the_stem").matchAll(/^ {12}("[^"]*"),$/gm)];
assert(rows.length >= 20 && open.length >= 10, `${rows.length} and ${open.length} examples: was the test there changed?`);

// Before the verbs are read it hides more, never less.
for (const [, line] of rows) assert.notEqual(strip(text(line)).secret, null, `without verbs: ${line}`);
await load();
for (const [, ...example] of rows) {
  const [line, sent, secret] = example.map(text);
  assert.deepEqual(strip(line), { line: sent, secret }, line);
  assert.equal(strip(sent).line, sent, `stripped again: ${sent}`);
}
for (const [, literal] of open) assert.deepEqual(strip(text(literal)), { line: text(literal), secret: null }, literal);
console.log(`${rows.length + open.length} examples`);
