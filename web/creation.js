// What the page answers by itself while a character is made. Pure.

/**
 * The choice that nobody needs to make, or null; `isBack`: whoever answers last went back to a question.
 * The question about colours is about terminals: who comes by one later has them, and a page has colours of its own.
 * Of homes there is often one only, and whoever goes back goes past that question, too.
 */
export function answeredByPage({ stage, options }, isBack) {
  if (stage === "color") return "Y";
  const keys = Object.keys(options);
  if (stage === "hometown" && keys.length === 1) return isBack ? "back" : keys[0];
  return null;
}
