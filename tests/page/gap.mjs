// What the page shows of a transcript after a gap: web/gap.js. node gap.mjs ROOT

import assert from "node:assert";

const { behind, missed } = await import(`${process.argv[2]}/web/gap.js`);

// The place is where most lines are the same, however often the last one was said.
assert.deepEqual(behind(["a", "hit", "b", "hit", "c", "hit", "d"], ["hit", "b", "hit"]), ["c", "hit", "d"]);
// What the journal does not know (a page's help, a greeting) is passed over.
assert.deepEqual(behind(["x", "a", "y"], ["never told", "a"]), ["y"]);
assert.deepEqual(behind(["x", "y"], ["never told"]), []);

// The clock stands, so that no millisecond makes a tick more.
const now = Date.now();
Date.now = () => now;
const asked = [];
const pages = {
  first: { lines: [{ tick: 40, typed: false, text: "a" }, { tick: 41, typed: true, text: "north" }], next: 42 },
  second: { lines: [{ tick: 42, typed: false, text: "b" }, { tick: 90, typed: false, text: "the room" }], next: null },
};
globalThis.fetch = async (path, { headers }) => {
  asked.push([path, headers.Authorization]);
  return { ok: true, json: async () => (asked.length === 1 ? pages.first : pages.second) };
};
// What was typed, and what came with the new login, is in the log already.
assert.deepEqual(await missed("t", 90, Date.now(), ["a"]), ["b"]);
assert.deepEqual(asked, [["/api/v1/me/transcript?from=30", "Bearer t"], ["/api/v1/me/transcript?from=42", "Bearer t"]]);
// Without a token, a tick or a line to go on from, nothing is asked.
for (const args of [["", 90, Date.now(), ["a"]], ["t", undefined, Date.now(), ["a"]], ["t", 90, 0, ["a"]], ["t", 90, Date.now(), []]]) {
  assert.deepEqual(await missed(...args), []);
}
assert.equal(asked.length, 2);
globalThis.fetch = async () => ({ ok: false });
assert.deepEqual(await missed("t", 90, Date.now(), ["a"]), []);
