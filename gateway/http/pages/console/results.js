// The result of a statement: its rows, its plot and its plan.

import { announce, h, notice, setText } from "./dom.js";
import { clock, counted, span } from "./format.js";
import { PlotView } from "./plot.js";
import { planView, summary } from "./plan.js";
import { resultTable } from "./tables.js";
import { Tabs } from "./tabs.js";

/** The panel below the editor. */
export class Results {
  /** @param {(tab: string) => void} onTab is called when the user has chosen a tab */
  constructor(onTab) {
    this.rows = h("div");
    this.plan = h("div");
    this.plot = new PlotView();
    this.status = h("p", { class: "status" });
    this.notes = h("div", { class: "notes" });
    const items = [["table", "Table", this.rows], ["plot", "Plot", this.plot.element], ["plan", "Plan", this.plan]];
    this.tabs = new Tabs("Result", items, (tab) => { this.#draw(); onTab(tab); });
    this.element = h("section", { class: "card results", "aria-label": "Result" }, h("div", { class: "results-head" }, this.tabs.list, this.status), this.notes, this.tabs.panels);
    this.clear();
  }

  /** Shows that nothing has run yet. */
  clear() {
    this.result = null;
    this.isLive = false;
    this.status.textContent = "";
    this.notes.replaceChildren();
    this.plot.clear();
    this.rows.replaceChildren(notice("No result yet", { text: "Run the statement with the button, or with Ctrl and Enter." }));
    this.plan.replaceChildren(notice("No plan yet", { text: "“Explain” runs the statement, and shows what each partition read and how long it took." }));
  }

  /** @param {string} text what goes on */
  working(text) {
    setText(this.status, text);
    this.isLive = false;
    this.status.className = "status";
    this.element.setAttribute("aria-busy", "true");
  }

  /** @param {import("./api.js").Result} result @param {{ isLive?: boolean }} [options] */
  show(result, { isLive = false } = {}) {
    const before = isLive && this.isLive ? new Set(this.result.rows.map((row) => JSON.stringify(row))) : null;
    this.isFresh = before ? (row) => !before.has(JSON.stringify(row)) : () => false;
    [this.result, this.isLive, this.hasFailed] = [result, isLive, false];
    this.drawn = new Set();
    this.element.removeAttribute("aria-busy");
    const text = isLive ? `live · ${counted(result.rows.length, "row")} · changed ${clock(new Date())}` : summary(result);
    setText(this.status, text);
    this.status.className = isLive ? "status live" : "status";
    if (!isLive) announce(text);
    this.#showNotes(result);
    this.#draw();
  }

  #showNotes(result) {
    const failed = result.partitions.filter((each) => each.status !== "ok");
    const texts = [...result.notices, ...failed.map((each) => `${each.store}[${each.partition}]: ${each.reason}, ${each.message}`)];
    if (result.isCut) texts.unshift(`Cut after ${counted(result.rows.length, "row")}, and the statement was stopped. Add a LIMIT, or fetch all rows with curl.`);
    this.notes.replaceChildren(...texts.map((text) => h("p", { class: "note" }, text)));
  }

  /** Draws what the chosen tab shows, once for each result. */
  #draw() {
    const tab = this.tabs.chosen;
    if (!this.result || this.drawn.has(tab)) return;
    this.drawn.add(tab);
    const { columns, rows } = this.result;
    if (tab === "table") this.#drawTable(columns, rows);
    if (tab === "plot") this.plot.show(this.result);
  }

  #drawTable(columns, rows) {
    if (!rows.length) return this.rows.replaceChildren(notice("No rows", { text: "The statement is right, and nothing matches." }));
    const { scrollTop = 0, scrollLeft = 0 } = this.rows.querySelector(".scroll") ?? {};
    this.rows.replaceChildren(resultTable(columns, rows, { caption: "Rows of the result", isFresh: this.isFresh }));
    if (this.isLive) Object.assign(this.rows.querySelector(".scroll"), { scrollTop, scrollLeft });
  }

  /** @param {import("./api.js").Result} result of EXPLAIN ANALYZE */
  showPlan(result) {
    this.element.removeAttribute("aria-busy");
    this.status.className = "status";
    setText(this.status, `explained in ${span(result.elapsedMs)}`);
    announce(this.status.textContent);
    this.notes.replaceChildren();
    this.plan.replaceChildren(planView(result));
    this.tabs.choose("plan");
  }

  /**
   * @param {import("./api.js").ApiError} error
   * @param {string} place in the text, if it is known
   */
  showError(error, place) {
    this.element.removeAttribute("aria-busy");
    this.hasFailed = true;
    setText(this.status, "failed");
    this.status.className = "status late";
    const title = place ? `${error.message}, at ${place}` : error.message;
    const text = [error.detail, error.hint].filter(Boolean).join(" ");
    const shown = notice(title, { text, kind: "error" });
    if (error.sqlstate) shown.append(h("p", { class: "sqlstate" }, "SQLSTATE ", h("code", {}, error.sqlstate)));
    this.notes.replaceChildren(shown);
  }

  /** Says that the live result has been looked at again. */
  unchanged() {
    if (this.hasFailed) this.show(this.result, { isLive: true });
    this.status.title = `looked at ${clock(new Date())}`;
  }
}
