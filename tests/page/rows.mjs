// What the pages make of rows: alike ones on one line (web/alike.js), the feed of the observatory (web/watch_feed.js),
// and commands without their JSON (web/watch_typed.js). node rows.mjs ROOT

import assert from "node:assert";

const load = (name) => import(`${process.argv[2]}/web/${name}.js`);
const { alike, counted } = await load("alike");
const { Feed, sentence, shownMarks } = await load("watch_feed");
const { typed } = await load("watch_typed");

// Five loaves are one line, at the place of the first.
const bag = ["a loaf of bread", "a lamp", ...Array(4).fill("a loaf of bread")];
assert.deepEqual(alike(bag, (name) => name).map(({ row, count }) => counted(row, count)), ["a loaf of bread (5)", "a lamp"]);

// Kills push out neither deaths nor levels, and the same kill again is counted on its line, which is the newest then.
const kill = (id, other) => ({ id, tick: id, what: "killed", key: "ann", name: "Ann", other });
const feed = new Feed();
const first = feed.take([
  { id: 1, tick: 1, what: "died", key: "ann", name: "Ann", other: "a wolf" },
  { id: 2, tick: 2, what: "rose", key: "ann", name: "Ann", level: 2 }, kill(3, "a rat"), kill(4, "a bat"), kill(5, "a rat"),
]);
const texts = ({ added }) => added.map(({ row, count }) => sentence(row, count));
assert.deepEqual(texts(first), ["Ann died, killed by a wolf.", "Ann rose to level 2.", "Ann killed a bat.", "Ann killed a rat (2)."]);
const again = feed.take([kill(5, "a rat"), kill(6, "a bat")]);
assert.deepEqual([texts(again), again.gone], [["Ann killed a bat (2)."], ["killed ann a bat"]]);
const many = feed.take(Array.from({ length: 300 }, (_, n) => kill(10 + n, `mob ${n}`)));
assert.equal(many.added.length, 40);
assert.deepEqual([many.gone.length, many.gone.includes("killed ann a rat"), many.gone.includes("killed ann mob 299")], [262, true, false]);
assert.equal(feed.length, 42, "the death and the level are there still");

// The same of the marks of a past, the newest first: meetings push out no death.
const marks = Array.from({ length: 200 }, (_, n) => ({ kind: "meeting", tick: 900 - n }));
const shown = shownMarks([...marks, { kind: "death", tick: 3 }]);
assert.deepEqual([shown.length, shown[0].tick, shown.at(-1).kind], [41, 900, "death"]);

// Commands as one would type them; what was sent besides stands behind the fold.
assert.deepEqual(typed("kill", "rat"), { lines: ["kill rat"], json: null });
assert.deepEqual(typed("look", ""), { lines: ["look"], json: null });
const lines = '["note the well is dry","goal find {the} well","mind inner weigh {\\"a\\":1}"]';
assert.deepEqual(typed("batch", lines), {
  lines: ["note the well is dry", "goal find {the} well", "mind inner weigh …"], json: `batch ${lines}`,
});
assert.deepEqual(typed("context", '1200 of 8000 {"calls":3}'), { lines: ["context 1200 of 8000 …"], json: 'context 1200 of 8000 {"calls":3}' });
for (const words of ["say [smiles] at you {x", 'say "quoted"', "say 7"]) {
  const [verb, ...rest] = words.split(" ");
  assert.deepEqual(typed(verb, rest.join(" ")), { lines: [words], json: null }, words);
}
assert.deepEqual(typed("batch", "no list").lines, ["batch no list"]);
