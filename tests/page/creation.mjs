// What the page answers by itself while a character is made (web/creation.js). node creation.mjs ROOT

import assert from "node:assert";

const { answeredByPage } = await import(`${process.argv[2]}/web/creation.js`);
const home = (...names) => ({ stage: "hometown", options: Object.fromEntries(names.map((name) => [name[0], name])) });

assert.equal(answeredByPage({ stage: "color", options: { Y: "Yes", N: "No" } }, false), "Y");
// Nobody is asked what has one answer only, and whoever goes back from the dice comes to the callings.
assert.equal(answeredByPage(home("Karrowmere"), false), "K");
assert.equal(answeredByPage(home("Karrowmere"), true), "back");
assert.equal(answeredByPage(home("Karrowmere", "Oldmere"), false), null);
// Some peoples might have one calling only: it is asked for, so that it is seen.
assert.equal(answeredByPage({ stage: "class", options: { 3: "Warrior" } }, false), null);
