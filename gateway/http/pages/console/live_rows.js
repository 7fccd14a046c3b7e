// The rows of a live query. They are a multiset: a change names a row by its values.

import { ApiError } from "./errors.js";

/** The gateway limits the rows of a live query (`live_rows_max`), but not how wide they are. */
const CHARACTERS_MAX = 64_000_000;

/**
 * @typedef {{ deleted: unknown[][], updated: [unknown[], unknown[]][], inserted: unknown[][] }} Changes
 *   `updated` has the old and the new row
 */

/** The rows, in the order of the first ones. A row that is updated keeps its place, others come last. */
export class LiveRows {
  /** @type {Map<number, unknown[]>} */
  #rows = new Map();
  /** The numbers of equal rows, by their text. @type {Map<string, number[]>} */
  #numbers = new Map();
  #next = 0;
  #characters = 0;
  /** @type {Set<unknown[]>} */
  #fresh = new Set();

  /** @returns {unknown[][]} a row that did not change is the same array as before */
  list() {
    return [...this.#rows.values()];
  }

  /** @returns {Set<unknown[]>} the rows that have come or changed since the last call */
  takeFresh() {
    const fresh = this.#fresh;
    this.#fresh = new Set();
    return fresh;
  }

  /** Adds some of the first rows. @param {unknown[][]} rows */
  insert(rows) {
    for (const row of rows) this.#put(this.#next++, row);
  }

  /**
   * Applies the changes of an epoch.
   *
   * @param {Changes} changes
   * @returns {boolean} false if they are not changes of these rows, which are of no use then
   */
  change({ deleted, updated, inserted }) {
    const gone = deleted.map((row) => this.#take(row));
    const kept = updated.map(([old]) => this.#take(old));
    if (gone.includes(undefined) || kept.includes(undefined)) return false;
    for (const number of gone) this.#rows.delete(number);
    updated.forEach(([, row], at) => this.#put(kept[at], row));
    this.insert(inserted);
    for (const [, row] of updated) this.#fresh.add(row);
    for (const row of inserted) this.#fresh.add(row);
    return true;
  }

  #put(number, row) {
    const text = JSON.stringify(row);
    this.#characters += text.length;
    if (this.#characters > CHARACTERS_MAX) {
      const message = "the result is too large to be followed here";
      throw new ApiError({ message, sqlstate: "54000", hint: "Select fewer rows or columns." });
    }
    const numbers = this.#numbers.get(text);
    if (numbers) numbers.push(number);
    else this.#numbers.set(text, [number]);
    this.#rows.set(number, row);
  }

  /** Forgets a row, but not its place. */
  #take(row) {
    const text = JSON.stringify(row), numbers = this.#numbers.get(text);
    const number = numbers?.pop();
    if (number === undefined) return undefined;
    if (!numbers.length) this.#numbers.delete(text);
    this.#characters -= text.length;
    this.#fresh.delete(this.#rows.get(number));
    return number;
  }
}
