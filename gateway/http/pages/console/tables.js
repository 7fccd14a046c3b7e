// Tables of facts, and what cells look like in all tables.

import { h } from "./dom.js";

const NUMBERS = /^(tinyint|smallint|integer|bigint|real|double|decimal|numeric)/;

/** @param {string} type of SQL @returns {boolean} */
export function isNumber(type) {
  return NUMBERS.test(type) && !type.endsWith("]");
}

/** @param {unknown} value a cell @returns {Node | string} */
export function cellText(value) {
  if (value === null || value === undefined) return h("span", { class: "null" }, "NULL");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Returns a table of some facts about each row.
 *
 * @param {string} caption
 * @param {string[]} names of the columns
 * @param {(Node | string | null)[][]} rows
 * @param {{ numbers?: number[], lateRows?: Set<number> }} [options] columns of numbers; rows that are red
 */
export function factTable(caption, names, rows, { numbers = [], lateRows = new Set() } = {}) {
  const kind = (at) => (numbers.includes(at) ? "number" : null);
  const head = h("tr", {}, ...names.map((name, at) => h("th", { scope: "col", class: kind(at) }, name)));
  const body = rows.map((row, at) => h("tr", { class: lateRows.has(at) ? "late" : null }, ...row.map((cell, i) => h("td", { class: kind(i) }, cell))));
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "data" }, h("caption", { class: "unseen" }, caption), h("thead", {}, head), h("tbody", {}, ...body)),
  );
}
