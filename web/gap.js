// What was told to the character while the page was not connected, as the journal has it (docs/API.md, "The
// transcript"): for when the stream cannot go on, as after a crash of the server.

/** The pace of the game, and ticks more that are looked at, for clocks are not exact. */
const TICK_MS = 2000;
const TICKS_SPARE = 60;
/** Answers that are asked for: one has some 200 lines. */
const PAGES_MAX = 5;

/** Lines between the last of those that were read, `read` (the newest first), and the tick of the new login. */
export async function missed(token, tick, silentSince, read) {
  if (!token || !tick || !silentSince || !read.length) return [];
  const ticks = Math.ceil((Date.now() - silentSince) / TICK_MS) + TICKS_SPARE;
  const told = [];
  let from = Math.max(0, tick - ticks);
  for (let page = 0; page < PAGES_MAX && from !== null && from < tick; page++) {
    const answer = await fetch(`/api/v1/me/transcript?from=${from}`, { headers: { Authorization: `Bearer ${token}` } });
    if (!answer.ok) break;
    const { lines, next } = await answer.json();
    told.push(...lines.filter((line) => !line.typed && line.tick < tick).map(({ text }) => text));
    from = next;
  }
  return behind(told, read);
}

/** What stands behind the newest line that was read; nothing where none of them is found. */
export function behind(told, read) {
  for (let skip = 0; skip < read.length; skip++) {
    const places = [...told.keys()].filter((at) => told[at] === read[skip]);
    if (!places.length) continue;
    // The same words come again and again in a fight: the place is where most lines before them are the same, too.
    const alike = places.map((at) => sameBefore(told, at, read, skip));
    return told.slice(places[alike.indexOf(Math.max(...alike))] + 1);
  }
  return [];
}

function sameBefore(told, at, read, skip) {
  let count = 0;
  while (skip + count < read.length && told[at - count] === read[skip + count]) count++;
  return count;
}
