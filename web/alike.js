// Alike things on one line: "a loaf of bread (5)". Pure.

/** Rows that have the same key, each with how many there are, in the order of the first of each. */
export function alike(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.count += 1;
    else groups.set(key, { row, count: 1 });
  }
  return [...groups.values()];
}

export const counted = (text, count) => (count > 1 ? `${text} (${count})` : text);
