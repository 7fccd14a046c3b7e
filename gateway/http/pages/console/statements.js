// The statements that run now, and the slow ones that have ended.

import { rowsOf } from "./api.js";
import { linkToQuery } from "./address.js";
import { h, notice } from "./dom.js";
import { count, moment, span } from "./format.js";
import { every } from "./polling.js";
import { factTable } from "./tables.js";

const REFRESH_MS = 2_000;
const RUNNING = "SELECT number, username, started, elapsed_ms, sql FROM stategate.queries ORDER BY started";
const SLOW =
  "SELECT number, username, started, elapsed_ms, rows, sqlstate, sql FROM stategate.slow_queries ORDER BY started DESC LIMIT 200";

/** The view; it works while it is shown. */
export class Statements {
  constructor() {
    this.running = h("div", {}, notice("Reading …"));
    this.slow = h("div", {}, notice("Reading …"));
    this.element = h(
      "section",
      { class: "card", "aria-labelledby": "statements-title" },
      h("h1", { id: "statements-title" }, "Running now"),
      this.running,
      h("h2", {}, "Slow statements"),
      h("p", { class: "hint" }, "The latest ones that took longer than the setting ", h("code", {}, "slow_statement_ms"), ". You see the text of your own. Lookups by key are not listed."),
      this.slow,
    );
  }

  /** @param {AbortSignal} signal ends the work */
  show(signal) {
    return every(REFRESH_MS, () => this.#read(signal), signal);
  }

  async #read(signal) {
    try {
      const running = (await rowsOf(RUNNING, signal)).filter((row) => row.sql !== RUNNING);
      fill(this.running, running, runningTable, "Nothing runs", "Statements that take more than a moment appear here.");
      fill(this.slow, await rowsOf(SLOW, signal), slowTable, "No slow statements", "None since the gateway was started.");
    } catch (error) {
      if (signal.aborted) return;
      this.running.replaceChildren(notice(error.message, { text: error.hint, kind: "error" }));
      this.shown = "";
    }
  }
}

function fill(place, rows, table, title, text) {
  const now = JSON.stringify(rows);
  if (place.dataset.rows === now) return;
  place.dataset.rows = now;
  place.replaceChildren(rows.length ? table(rows) : notice(title, { text }));
}

function runningTable(rows) {
  const cells = rows.map((row) => [row.username, begun(row), took(row), sqlLink(row.sql)]);
  return factTable("Running statements", ["User", "Started", "For", "Statement"], cells, { numbers: [2] });
}

function slowTable(rows) {
  const cells = rows.map((row) => [row.username, begun(row), took(row), count(row.rows), row.sqlstate ?? "ok", sqlLink(row.sql)]);
  const names = ["User", "Started", "Took", "Rows", "Ended", "Statement"];
  const lateRows = new Set(rows.flatMap((row, at) => (row.sqlstate ? [at] : [])));
  return factTable("Slow statements", names, cells, { numbers: [2, 3], lateRows });
}

function begun(row) {
  return moment(Date.parse(row.started));
}

function took(row) {
  return row.elapsed_ms < 1 ? "< 1 ms" : span(row.elapsed_ms);
}

function sqlLink(sql) {
  if (sql === null) return h("span", { class: "null" }, "of another user");
  return h("a", { class: "sql", href: linkToQuery(sql), title: "Open in the editor" }, h("code", {}, sql.replace(/\s+/g, " ")));
}
