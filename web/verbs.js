// The verbs as the server tells them: those that completion knows, and how a typed word finds one.

/** `{name, usage, help}` each; none until they are read. */
export let verbs = [];
/** The names of all verbs in the order in which a word finds them; null until they are read. */
export let names = null;

export async function load() {
  try {
    const answer = await fetch(new URL("verbs.json", import.meta.url));
    if (answer.ok) ({ verbs, names } = await answer.json());
  } catch {
    // The game goes on without completion of verbs.
  }
}

/** In capitals or not: only letters from A to Z, since names have no others. */
export const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The name that a word means, which may be its beginning: `Names::find` of protocol/src/verbs.rs. */
export function find(word) {
  const begun = lower(word);
  if (!begun) return undefined;
  return names.find(({ name, least = 0, whole }) => {
    return begun.length >= least && name.startsWith(begun) && (!whole || name.length === begun.length);
  });
}
