// What happened lately, as lines: of each kind the newest, and kills of the same by the same on one line. Pure.

import { counted } from "./alike.js";

/** Lines of each kind: what is common does not push out what is rare. */
const LINES_EACH = 40;

/** Of a row of the feed, or of a mark of the past: `died`, `rose`, `killed`, `met`. */
export const whatOf = ({ what, kind }) => what ?? { death: "died", level: "rose", meeting: "met" }[kind];

export function sentence(row, count = 1) {
  const { name, level, other } = row;
  return {
    died: other ? `${name} died, killed by ${other}.` : `${name} died.`,
    rose: `${name} rose to level ${level}.`,
    killed: `${name} killed ${counted(other, count)}.`,
    met: `${name} met ${other}.`,
  }[whatOf(row)];
}

const lineOf = (row) => (whatOf(row) === "killed" ? `killed ${row.key} ${row.other}` : `${row.id}`);

/** The lines that are shown, by their keys, oldest first; whoever shows them is told of what is new and what goes. */
export class Feed {
  #lines = new Map();
  #newest = 0;

  clear() {
    this.#lines.clear();
    this.#newest = 0;
  }

  /** Takes rows, oldest first. `added`: lines that are new or have grown, oldest first; `gone`: keys of lines that go. */
  take(rows) {
    const [gone, touched] = [new Set(), new Set()];
    for (const row of rows.filter(({ id }) => id > this.#newest)) {
      this.#newest = row.id;
      const key = lineOf(row);
      const count = (this.#lines.get(key)?.count ?? 0) + 1;
      if (count > 1) gone.add(key);
      // Behind all others.
      this.#lines.delete(key);
      this.#lines.set(key, { row, count });
      touched.add(key);
    }
    for (const key of tooMany([...this.#lines].map(([key, { row }]) => [key, row]))) {
      this.#lines.delete(key);
      gone.add(key);
      touched.delete(key);
    }
    const added = [...this.#lines].filter(([key]) => touched.has(key)).map(([key, line]) => ({ key, ...line }));
    return { added, gone: [...gone] };
  }

  get length() {
    return this.#lines.size;
  }
}

/** Keys of those that are beyond what is shown of their kind; `pairs` of key and row, oldest first. */
function tooMany(pairs) {
  const counts = new Map();
  return pairs.toReversed().flatMap(([key, row]) => {
    const count = (counts.get(whatOf(row)) ?? 0) + 1;
    counts.set(whatOf(row), count);
    return count > LINES_EACH ? [key] : [];
  });
}

/** Marks, the newest first, of each kind no more than is shown. */
export function shownMarks(marks) {
  const beyond = new Set(tooMany(marks.toReversed().map((mark) => [mark, mark])));
  return marks.filter((mark) => !beyond.has(mark));
}
