// What of a typed line is neither shown nor kept: the rule of world/src/commands/secrets.rs, where its examples are.

import { find, lower, names } from "./verbs.js";

const STEM = "pas";
const SLIPS_MAX = 2;
/** Where the names of verbs could not be read. */
const SECRET_NAMES = ["password"];
/** What Rust takes for blanks, which is not quite what `trim` does. */
const BLANKS_BEFORE = /^\p{White_Space}+/u;
const BLANKS_AFTER = /\p{White_Space}+$/u;
const BLANK = /\p{White_Space}/u;

const trimStart = (text) => text.replace(BLANKS_BEFORE, "");
const trimEnd = (text) => text.replace(BLANKS_AFTER, "");
const trim = (text) => trimEnd(trimStart(text));

/** Parts a line into what may be read, and the secret behind it: null where there is none. */
export function strip(line) {
  if (!names) return stripUnknown(line);
  if (!line.includes(";")) return stripCommand(line);
  for (const { from, command } of commands(line)) {
    const { line: read, secret } = stripCommand(command);
    if (secret === null) continue;
    // All that stands after it could be of the secret, a semicolon too.
    const end = from + read.length;
    return { line: trimStart(line.slice(0, end)), secret: trim(line.slice(end)) };
  }
  return { line, secret: null };
}

function stripCommand(line) {
  const whole = trim(line);
  let rest = whole;
  for (;;) {
    const { word, args } = typed(rest);
    const verb = find(word);
    if (verb?.alias ? spellsSecret(firstWord(args).rest) : verb ? verb.secret : isNear(word)) {
      return { line: trimEnd(whole.slice(0, whole.length - args.length)), secret: args };
    }
    if (!verb?.runs) return { line, secret: null };
    rest = firstWord(args).rest;
  }
}

/** The names of verbs are not there: whatever follows a word that could be one is secret, wherever it stands. */
function stripUnknown(line) {
  for (const { 0: word, index } of line.matchAll(/[^\p{White_Space};]+/gu)) {
    const end = index + word.length;
    if (isNear(word)) return { line: trimStart(line.slice(0, end)), secret: trim(line.slice(end)) };
  }
  return { line, secret: null };
}

const spellsSecret = (pattern) => pattern.split(";").some((command) => strip(command).secret !== null);

/** A word that is no verb and was most likely meant for a secret one. */
function isNear(word) {
  const begun = lower(word);
  if (begun.startsWith(STEM)) return true;
  if (begun.length < "password".length - SLIPS_MAX) return false;
  const secret = names?.filter((name) => name.secret).map(({ name }) => name) ?? SECRET_NAMES;
  return secret.some((name) => slips(begun, name) <= SLIPS_MAX);
}

/** The commands of a line, and where each begins: world/src/commands/chain.rs. */
function commands(line) {
  const found = [];
  let from = line.length - trimStart(line).length;
  for (;;) {
    const end = line.indexOf(";", from);
    // In what follows a verb that takes words, a semicolon is one of them.
    if (end < 0 || find(typed(line.slice(from, end)).word)?.words) break;
    const command = trim(line.slice(from, end));
    if (command) found.push({ from, command });
    const rest = line.slice(end + 1);
    from = end + 1 + rest.length - trimStart(rest).length;
  }
  const last = trim(line.slice(from));
  if (last) found.push({ from, command: last });
  return found;
}

/** The first word, or a first character that is no letter or digit, and the rest. */
function typed(line) {
  const whole = trim(line);
  const first = [...whole.slice(0, 2)][0] ?? "";
  const end = first && !/[\p{Alphabetic}\p{N}]/u.test(first) ? first.length : wordEnd(whole);
  return { word: whole.slice(0, end), args: trimStart(whole.slice(end)) };
}

function firstWord(text) {
  const begun = trimStart(text);
  const end = wordEnd(begun);
  return { word: begun.slice(0, end), rest: trimStart(begun.slice(end)) };
}

function wordEnd(text) {
  const at = text.search(BLANK);
  return at < 0 ? text.length : at;
}

/** Letters left out, put in, changed, or swapped with the next. */
function slips(a, b) {
  const [one, other] = [[...a], [...b]];
  if (Math.abs(one.length - other.length) > SLIPS_MAX) return SLIPS_MAX + 1;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  one.forEach((letter, i) => {
    const row = [i + 1];
    other.forEach((aimed, j) => {
      row.push(Math.min(rows[i][j] + Number(letter !== aimed), rows[i][j + 1] + 1, row[j] + 1));
      const isSwapped = i > 0 && j > 0 && letter === other[j - 1] && one[i - 1] === aimed;
      if (isSwapped) row[j + 1] = Math.min(row[j + 1], rows[i - 1][j - 1] + 1);
    });
    rows.push(row);
  });
  return rows.at(-1)[other.length];
}
