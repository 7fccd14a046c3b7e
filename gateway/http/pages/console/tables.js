// Tables of rows: results, statements, nodes.

import { h } from "./dom.js";

const SHOWN_STEP = 500;
const NUMBERS = /^(tinyint|smallint|integer|bigint|real|double|decimal|numeric)/;

/** @param {string} type of SQL @returns {boolean} */
export function isNumber(type) {
  return NUMBERS.test(type);
}

/** @param {unknown} value a cell @returns {Node | string} */
export function cellText(value) {
  if (value === null || value === undefined) return h("span", { class: "null" }, "NULL");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Returns a table that shows some hundred rows, and more of them on demand.
 *
 * @param {{ name: string, type: string }[]} columns
 * @param {unknown[][]} rows
 * @param {{ caption: string, isFresh?: (row: unknown[]) => boolean }} options `isFresh`: whether a row is new
 */
export function resultTable(columns, rows, { caption, isFresh = () => false }) {
  const body = h("tbody");
  const kinds = columns.map(({ type }) => (isNumber(type) ? "number" : null));
  const more = h("button", { class: "more", type: "button" });
  const showMore = () => {
    const first = body.children.length;
    for (const row of rows.slice(first, first + SHOWN_STEP)) {
      body.append(h("tr", { class: isFresh(row) ? "fresh" : null }, ...row.map((value, at) => h("td", { class: kinds[at] }, cellText(value)))));
    }
    more.hidden = body.children.length >= rows.length;
    more.textContent = `Show more: ${body.children.length} of ${rows.length} rows are shown`;
  };
  more.addEventListener("click", showMore);
  showMore();
  const head = columns.map(({ name, type }, at) => h("th", { scope: "col", class: kinds[at] }, name, h("span", { class: "type" }, type)));
  const table = h("table", { class: "data" }, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, ...head)), body);
  return h("div", { class: "result-table" }, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table), more);
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
