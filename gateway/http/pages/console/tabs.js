// Tabs as the ARIA pattern has them: one stop of the Tab key, arrow keys between them.

import { h } from "./dom.js";

/** A list of tabs, and the panel of the chosen one. */
export class Tabs {
  /**
   * @param {string} label
   * @param {[string, string, Node][]} items id, title and panel of each
   * @param {(id: string) => void} onChange
   */
  constructor(label, items, onChange) {
    this.onChange = onChange;
    this.items = items.map(([id, title, content]) => {
      const tab = h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` }, title);
      const panel = h("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, content);
      tab.addEventListener("click", () => this.choose(id));
      return { id, tab, panel };
    });
    const list = h("div", { role: "tablist", class: "tabs", "aria-label": label }, ...this.items.map((each) => each.tab));
    list.addEventListener("keydown", (event) => this.#move(event));
    this.list = list;
    this.panels = h("div", { class: "panels" }, ...this.items.map((each) => each.panel));
    this.#show(items[0][0]);
  }

  /** @param {string} id */
  choose(id) {
    if (!this.items.some((each) => each.id === id) || id === this.chosen) return;
    this.#show(id);
    this.onChange(id);
  }

  #show(id) {
    this.chosen = id;
    for (const { id: own, tab, panel } of this.items) {
      tab.setAttribute("aria-selected", String(own === id));
      tab.tabIndex = own === id ? 0 : -1;
      panel.hidden = own !== id;
    }
  }

  #move(event) {
    const at = this.items.findIndex((each) => each.id === this.chosen), last = this.items.length - 1;
    const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(this.items[next].id);
    this.items[next].tab.focus();
  }
}
