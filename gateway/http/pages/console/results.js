// The result of a statement: its rows, its plot and its plan.

import { announce, h, notice, setText } from "./dom.js";
import { clock, counted, span } from "./format.js";
import { PlotView } from "./plot.js";
import { planView, summary } from "./plan.js";
import { ResultTable } from "./result_table.js";
import { Tabs } from "./tabs.js";

const ANNOUNCED_MS = 10_000;
const NOTHING = new Set();

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
    this.table = null;
    /** Whether nothing has been shown yet, neither rows nor a plan. */
    this.isEmpty = true;
    this.tabs.panels.hidden = false;
    this.status.textContent = "";
    this.notes.replaceChildren();
    this.plot.clear();
    this.rows.replaceChildren(notice("No result yet", { text: "Run the statement with the button, or with Ctrl and Enter." }));
    this.plan.replaceChildren(notice("No plan yet", { text: "“Explain” runs the statement, and shows what each partition read and how long it took." }));
  }

  /** @param {string} text what goes on */
  working(text) {
    setText(this.status, text);
    this.table = null;
    this.tabs.panels.hidden = false;
    this.announcedMs = -ANNOUNCED_MS;
    this.status.className = "status";
    this.element.setAttribute("aria-busy", "true");
  }

  /** @param {import("./api.js").Result} result */
  show(result) {
    this.table = null;
    this.#take(result, NOTHING);
    const text = summary(result);
    setText(this.status, text);
    this.status.className = "status";
    announce(text);
  }

  /**
   * Shows a result that changes, in the table of the one before.
   *
   * @param {import("./api.js").Result} result
   * @param {{ how: string, fresh: Set<unknown[]> }} state as a listener of live results gets it
   */
  showLive(result, { how, fresh }) {
    if (this.table && JSON.stringify(result.columns) !== JSON.stringify(this.result.columns)) this.table = null;
    this.#take(result, fresh);
    this.alive(how);
    const nowMs = performance.now();
    if (nowMs - this.announcedMs < ANNOUNCED_MS) return;
    this.announcedMs = nowMs;
    announce(`live: ${counted(result.rows.length, "row")} at ${clock(new Date())}`);
  }

  /** Says that the live result is still right. @param {string} how it is followed */
  alive(how) {
    setText(this.status, `${how} · ${counted(this.result.rows.length, "row")} · ${clock(new Date())}`);
    this.status.className = "status live";
  }

  /** Says that the live result may be out of date. @param {import("./errors.js").ApiError} error */
  reconnecting(error) {
    setText(this.status, `reconnecting: ${error.message}`);
    this.status.className = "status late";
    announce(this.status.textContent);
  }

  #take(result, fresh) {
    [this.result, this.fresh] = [result, fresh];
    this.isEmpty = false;
    this.drawn = new Set();
    this.element.removeAttribute("aria-busy");
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
    if (tab === "table") this.#drawTable(this.result);
    if (tab === "plot") this.plot.show(this.result);
  }

  #drawTable({ columns, rows }) {
    if (!rows.length) {
      this.table = null;
      return this.rows.replaceChildren(notice("No rows", { text: "The statement is right, and nothing matches." }));
    }
    if (!this.table) {
      this.table = new ResultTable(columns, "Rows of the result");
      this.rows.replaceChildren(this.table.element);
    }
    this.table.show(rows, this.fresh);
  }

  /** @param {import("./api.js").Result} result of EXPLAIN ANALYZE */
  showPlan(result) {
    this.element.removeAttribute("aria-busy");
    this.status.className = "status";
    setText(this.status, `explained in ${span(result.elapsedMs)}`);
    announce(this.status.textContent);
    this.notes.replaceChildren();
    this.plan.replaceChildren(planView(result));
    this.isEmpty = false;
    this.tabs.choose("plan");
  }

  /**
   * @param {import("./errors.js").ApiError} error
   * @param {string} place in the text, if it is known
   */
  showError(error, place) {
    this.element.removeAttribute("aria-busy");
    setText(this.status, "failed");
    this.tabs.panels.hidden = this.isEmpty; // that nothing has run yet would not be true
    this.status.className = "status late";
    const title = place ? `${error.message}, at ${place}` : error.message;
    const text = [error.detail, error.hint].filter(Boolean).join(" ");
    const shown = notice(title, { text, kind: "error" });
    if (error.sqlstate) shown.append(h("p", { class: "sqlstate" }, "SQLSTATE ", h("code", {}, error.sqlstate)));
    this.notes.replaceChildren(shown);
  }
}
