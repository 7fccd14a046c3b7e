// The nodes of the cluster.

import { rowsOf } from "./api.js";
import { h, notice } from "./dom.js";
import { span } from "./format.js";
import { every } from "./polling.js";
import { factTable } from "./tables.js";

const REFRESH_MS = 3_000;
const NAMES = ["Node", "State", "Partitions", "Running", "Reply time", "Zone", "Weight", "Version", "Problem"];

/** The view; it works while it is shown. */
export class Nodes {
  constructor() {
    this.list = h("div", {}, notice("Reading …"));
    this.element = h(
      "section",
      { class: "card", "aria-labelledby": "nodes-title" },
      h("h1", { id: "nodes-title" }, "Nodes"),
      this.list,
    );
  }

  /** @param {AbortSignal} signal ends the work */
  show(signal) {
    return every(REFRESH_MS, () => this.#read(signal), signal);
  }

  async #read(signal) {
    try {
      const rows = await rowsOf("SELECT * FROM stategate.nodes ORDER BY node", signal);
      const lateRows = new Set(rows.flatMap((row, at) => (isLate(row) ? [at] : [])));
      this.list.replaceChildren(factTable("Nodes of the cluster", NAMES, rows.map(cellsOf), { numbers: [2, 3, 4, 6], lateRows }));
    } catch (error) {
      if (!signal.aborted) this.list.replaceChildren(notice(error.message, { text: error.hint, kind: "error" }));
    }
  }
}

function isLate(row) {
  return !row.connected || row.running < row.partitions || Boolean(row.problem);
}

function cellsOf(row) {
  return [
    h("code", {}, row.node),
    !row.connected ? "not connected" : row.leaving ? "leaving" : "connected",
    String(row.partitions),
    String(row.running),
    row.reply_ms === null ? "–" : span(row.reply_ms),
    row.zone || "–",
    row.weight === null ? "–" : String(row.weight),
    row.version ?? "–",
    row.problem ?? "–",
  ];
}
