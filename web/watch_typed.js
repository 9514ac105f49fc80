// What a program sent, as one would type it. Pure.

/** A list of lines, as `batch` takes it; `null`: it is something else. */
function batched(text) {
  try {
    const lines = JSON.parse(text);
    return Array.isArray(lines) && lines.length && lines.every((line) => typeof line === "string") ? lines : null;
  } catch {
    return null;
  }
}

/** Where JSON begins that a line ends with; −1: it ends with none. */
function jsonAt(line) {
  for (const { index } of line.matchAll(/(?<=^|\s)[[{]/g)) {
    try {
      JSON.parse(line.slice(index));
      return index;
    } catch {
      // A bracket of its words.
    }
  }
  return -1;
}

/** The commands of a row, without JSON; and what was sent, where that had some, else `null`. */
export function typed(command, args) {
  const sent = [command, args].filter(Boolean).join(" ");
  const lines = (command === "batch" && batched(args)) || [sent];
  const plain = lines.map((line) => {
    const at = jsonAt(line);
    return at < 0 ? line : `${line.slice(0, at)}…`;
  });
  return { lines: plain, json: plain.length === 1 && plain[0] === sent ? null : sent };
}
