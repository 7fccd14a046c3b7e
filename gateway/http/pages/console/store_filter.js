// Which stores the first view shows, and in which order.

/**
 * Returns the stores whose names have all words of a text; those with problems come first.
 *
 * @param {import("./stores.js").Store[]} stores in the order of their names
 * @param {string} text
 */
export function shownStores(stores, text) {
  const words = text.toLowerCase().split(/\s+/);
  const found = stores.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const hasProblem = (store) => store.behind > 0 || store.logError !== null;
  return [...found.filter(hasProblem), ...found.filter((store) => !hasProblem(store))];
}
