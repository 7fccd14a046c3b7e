// One store in the first view: its figures, and a bar for each replica.

import { h, setText } from "./dom.js";
import { count, moment, seconds, short, span } from "./format.js";
import { linkToQuery } from "./address.js";

const STATS = ["Epoch", "Lag", "Watermark", "Rows", "Reads/s", "p99 read"];
const COLUMNS = ["Partition", "Node", "Role", "State", "Epoch", "Lag", "Watermark", "Rows", "Late rows"];
const NONE = "–";
/** The lowest bar, in percent, so that an empty partition can be seen. */
const BAR_MIN = 12;
/** More bars than this are narrow. */
const MANY_BARS = 48;

/** A card that is updated in place, so that focus and selection stay. */
export class StoreCard {
  /** @param {import("./stores.js").Store} store */
  constructor(store) {
    this.name = store.name;
    this.values = new Map(STATS.map((name) => [name, h("dd", {}, NONE)]));
    this.badge = h("span", { class: "badge" });
    this.bars = h("div", { class: "bars", "aria-hidden": "true" });
    this.summary = h("span", { class: "bars-summary" });
    this.body = h("tbody");
    this.details = h("details", { ontoggle: () => this.#showRows() }, h("summary", {}, this.bars, this.summary), this.#table());
    this.element = h(
      "article",
      { class: "store", "aria-label": store.name },
      h("header", {}, this.#title(store), this.badge),
      h("dl", { class: "stats" }, ...STATS.map((name) => h("div", {}, h("dt", {}, name), this.values.get(name)))),
      this.details,
    );
  }

  #title(store) {
    const sql = `SELECT * FROM ${quoted(store.name)} LIMIT 100`;
    const key = store.key.map((column) => column.name).join(", ");
    return h(
      "div",
      {},
      h("h3", {}, h("a", { href: linkToQuery(sql), title: "Query this store" }, store.name)),
      h("p", { class: "kind" }, `${store.kind} by `, h("code", {}, key), store.comment ? ` · ${store.comment}` : ""),
    );
  }

  #table() {
    const head = h("tr", {}, ...COLUMNS.map((name, at) => h("th", { scope: "col", class: alignment(at) }, name)));
    const label = `Partitions of ${this.name}`;
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      h("table", { class: "data" }, h("caption", { class: "unseen" }, label), h("thead", {}, head), this.body),
    );
  }

  /**
   * @param {import("./stores.js").Store} store
   * @param {?import("./metrics.js").Rates} rates
   */
  update(store, rates) {
    const isLate = store.behind > 0 || store.logError !== null;
    this.element.classList.toggle("late", isLate);
    this.#set("Epoch", store.newest < 0 ? NONE : count(store.newest));
    this.#set("Lag", store.lagMs === null ? NONE : seconds(store.lagMs), lagTitle(store));
    this.values.get("Lag").className = isLate ? "late" : store.isQuiet ? "quiet" : "";
    this.#set("Watermark", store.watermarkMs === null ? NONE : moment(store.watermarkMs));
    this.#set("Rows", store.rows === null ? NONE : store.isExact ? count(store.rows) : `≈ ${short(store.rows)}`);
    this.#set("Reads/s", rates ? short(rates.readsPerS) : NONE);
    this.#set("p99 read", rates?.p99Ms ? span(rates.p99Ms) : NONE);
    this.#showBadge(store);
    this.#showBars(store);
    this.store = store;
    this.#showRows();
  }

  #set(name, text, title = "") {
    setText(this.values.get(name), text);
    if (title) this.values.get(name).title = title;
  }

  #showBadge(store) {
    const [kind, text] = badgeOf(store);
    this.badge.className = `badge ${kind}`;
    setText(this.badge, text);
    this.badge.title = store.logError ?? "";
  }

  #showBars(store) {
    this.bars.classList.toggle("many", store.replicas.length > MANY_BARS);
    const most = Math.max(1, ...store.replicas.map((each) => each.rows ?? 0));
    while (this.bars.children.length > store.replicas.length) this.bars.lastChild.remove();
    store.replicas.forEach((replica, at) => {
      const bar = this.bars.children[at] ?? this.bars.appendChild(h("span", { class: "bar" }));
      const height = replica.rows === null ? 60 : Math.max(BAR_MIN, (100 * replica.rows) / most);
      bar.style.height = `${height}%`;
      bar.className = `bar ${barKind(replica)}`;
      bar.title = `${replica.partition} on ${replica.node}: ${replica.trouble ?? replica.state}, epoch ${replica.epoch}`;
      if (bar.dataset.epoch !== String(replica.epoch) && bar.dataset.epoch) flash(bar);
      bar.dataset.epoch = String(replica.epoch);
    });
    const late = store.behind ? `, ${store.behind} behind` : "";
    setText(this.summary, `${store.replicas.length} replicas of ${store.partitions} partitions${late}`);
  }

  /** Shows the replicas while they are open: with many stores, their rows would make the page slow. */
  #showRows() {
    const store = this.store;
    if (!this.details.open || !store) return;
    const rows = store.replicas.map((each) => rowOf(each, store.isExact));
    const now = JSON.stringify(rows);
    if (this.shown === now) return;
    this.shown = now;
    this.body.replaceChildren(
      ...rows.map((cells, at) =>
        h("tr", { class: store.replicas[at].trouble ? "late" : null }, ...cells.map((cell, i) => h("td", { class: alignment(i) }, cell)))),
    );
  }
}

/** @param {number} at of the columns */
function alignment(at) {
  return at === 0 || at > 3 ? "number" : null;
}

function flash(bar) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  bar.animate([{ opacity: 0.35 }, { opacity: 1 }], { duration: 600, easing: "ease-out" });
}

function barKind(replica) {
  if (!replica.trouble) return "";
  return replica.state === "restoring" ? "restoring" : "late";
}

function badgeOf(store) {
  if (store.logError) return ["late", "log cannot be read"];
  if (store.behind) return ["late", `${store.behind} behind`];
  if (store.restoring) return ["restoring", `${store.restoring} restoring`];
  if (store.isQuiet) return ["quiet", "no new epochs"];
  return ["current", "current"];
}

function lagTitle(store) {
  return store.isQuiet ? "Nothing was committed for a while: the pipeline rests, or has stopped." : "Age of the newest epoch";
}

function rowOf(each, isExact) {
  return [
    String(each.partition),
    each.node,
    each.role,
    each.trouble && each.trouble !== each.state ? `${each.state}, ${each.trouble}` : each.state,
    count(each.epoch),
    each.lagMs === null ? NONE : seconds(each.lagMs),
    each.watermarkMs === null ? NONE : moment(each.watermarkMs),
    each.rows === null ? NONE : `${isExact ? "" : "≈ "}${count(each.rows)}`,
    count(each.lateRows),
  ];
}

/** @param {string} name @returns {string} a name as SQL needs it */
export function quoted(name) {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
