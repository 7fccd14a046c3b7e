// The rows of a result as a table, which may change while it is read.

import { h } from "./dom.js";
import { cellText, isNumber } from "./tables.js";

const SHOWN_STEP = 500;
const MARK_MS = 2_000;

/** A table that shows some hundred rows, and more of them on demand. */
export class ResultTable {
  /** @param {{ name: string, type: string }[]} columns @param {string} caption */
  constructor(columns, caption) {
    this.kinds = columns.map(({ type }) => (isNumber(type) ? "number" : null));
    this.shownMax = SHOWN_STEP;
    /** @type {unknown[][]} */
    this.rows = [];
    /** The element of each row that is shown. @type {Map<unknown[], HTMLElement>} */
    this.elements = new Map();
    this.body = h("tbody");
    this.more = h("button", { class: "more", type: "button", onclick: () => this.#showMore() });
    const head = columns.map(({ name, type }, at) => h("th", { scope: "col", class: this.kinds[at] }, name, h("span", { class: "type" }, type)));
    const table = h("table", { class: "data" }, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, ...head)), this.body);
    this.element = h("div", { class: "result-table" }, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table), this.more);
  }

  /**
   * Shows rows. Those that were shown before keep their elements, and so the reader's place and selection.
   *
   * @param {unknown[][]} rows
   * @param {Set<unknown[]>} fresh rows that are marked for a moment
   */
  show(rows, fresh) {
    this.rows = rows;
    this.#draw();
    const marked = [...fresh].flatMap((row) => this.elements.get(row) ?? []);
    for (const element of marked) element.className = "fresh";
    if (marked.length) setTimeout(() => { for (const element of marked) element.removeAttribute("class"); }, MARK_MS);
  }

  #showMore() {
    this.shownMax += SHOWN_STEP;
    this.#draw();
  }

  #draw() {
    const before = this.elements;
    this.elements = new Map(this.rows.slice(0, this.shownMax).map((row) => [row, before.get(row) ?? this.#element(row)]));
    for (const [row, element] of before) if (!this.elements.has(row)) element.remove();
    let next = this.body.firstChild;
    for (const element of this.elements.values()) {
      if (element === next) next = next.nextSibling;
      else this.body.insertBefore(element, next);
    }
    this.more.hidden = this.elements.size >= this.rows.length;
    this.more.textContent = `Show more: ${this.elements.size} of ${this.rows.length} rows are shown`;
  }

  #element(row) {
    return h("tr", {}, ...row.map((value, at) => h("td", { class: this.kinds[at] }, cellText(value))));
  }
}
