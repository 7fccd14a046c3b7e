// The first view: what the gateway holds, how fresh it is, and how much it is asked.

import { getText } from "./api.js";
import { announce, h, notice, setText } from "./dom.js";
import { count, counted, seconds, short, span } from "./format.js";
import { ratesBetween, readMetrics } from "./metrics.js";
import { every } from "./polling.js";
import { Sparkline } from "./sparkline.js";
import { StoreCard } from "./store_card.js";
import { shownStores } from "./store_filter.js";
import { StoreReader } from "./stores.js";
import { welcome } from "./welcome.js";

const REPLICAS_MS = 2_000, METRICS_MS = 2_000, DEFINITIONS_MS = 15_000, ROWS_MS = 10_000;
/** More stores than this have a filter. */
const FEW_STORES = 12;
/** Cards that are shown at once; all of them if a button is pressed. */
const CARDS_MAX = 60;

/** The view; it works while it is shown. */
export class Overview {
  /** @param {(status: { kind: string, text: string }) => void} onStatus gets the state of all replicas */
  constructor(onStatus) {
    this.onStatus = onStatus;
    this.reader = new StoreReader();
    /** @type {Map<string, StoreCard>} */
    this.cards = new Map();
    /** @type {?import("./metrics.js").Reading} */
    this.reading = null;
    /** @type {Map<string, import("./metrics.js").Rates>} */
    this.rates = new Map();
    this.tiles = {
      replicas: tile("Replicas up to date"),
      lag: tile("Oldest epoch"),
      reads: tile("Partition reads per second", true),
      rows: tile("Rows read per second", true),
      time: tile("Read time, 99th percentile", true),
    };
    /** What failed last, by the kind of reading. @type {Map<string, Error>} */
    this.troubles = new Map();
    this.list = h("div", { class: "stores" }, notice("Reading the stores …"));
    this.stores = [];
    this.cardsMax = CARDS_MAX;
    this.filter = h("input", {
      type: "search", placeholder: "Filter by name", "aria-label": "Filter stores by name", autocomplete: "off", oninput: () => this.#showCards(),
    });
    this.more = h("button", {
      type: "button", hidden: true, onclick: () => {
        this.cardsMax = Infinity;
        this.#showCards();
      },
    });
    this.welcome = welcome();
    this.trouble = h("div", { class: "troubles" });
    this.element = h(
      "section",
      { "aria-labelledby": "overview-title" },
      h("h1", { id: "overview-title", class: "unseen" }, "Overview"),
      this.trouble,
      h("div", { class: "tiles" }, ...Object.values(this.tiles).map((each) => each.element)),
      h("div", { class: "stores-head" }, h("h2", {}, "Stores"), this.filter),
      this.list,
      h("p", { class: "more" }, this.more),
      this.welcome,
    );
    this.filter.hidden = this.welcome.hidden = true;
  }

  /** @param {AbortSignal} signal ends the work */
  async show(signal) {
    const again = (pauseMs, name, work) => every(pauseMs, () => this.#attempt(name, work, signal), signal);
    await this.#attempt("stores", () => this.reader.readDefinitions(signal), signal);
    again(REPLICAS_MS, "replicas", () => this.#readStores(signal));
    again(ROWS_MS, "rows", () => this.reader.readRows(signal));
    again(METRICS_MS, "metrics", () => this.#readMetrics(signal));
    again(DEFINITIONS_MS, "stores", () => this.reader.readDefinitions(signal));
  }

  async #attempt(name, work, signal) {
    try {
      await work();
      if (!signal.aborted && this.troubles.delete(name)) this.#showTroubles();
    } catch (error) {
      if (signal.aborted) return;
      const isNew = this.troubles.get(name)?.message !== error.message;
      this.troubles.set(name, error);
      if (isNew) this.#showTroubles();
    }
  }

  #showTroubles() {
    const byMessage = Map.groupBy(this.troubles, ([, error]) => error.message);
    const shown = [...byMessage].map(([message, failed]) => {
      const text = `Not up to date: ${failed.map(([name]) => name).join(", ")}. ${failed[0][1].hint ?? ""}`;
      return notice(message, { text, kind: "error" });
    });
    this.trouble.replaceChildren(...shown);
    const isStale = this.troubles.has("replicas");
    this.list.classList.toggle("stale", isStale);
    if (isStale) this.onStatus({ kind: "late", text: "no answer" });
  }

  async #readMetrics(signal) {
    const text = await getText("metrics", signal);
    if (text === null) return;
    const reading = readMetrics(text, performance.now());
    if (this.reading) {
      const before = this.reading;
      this.rates = new Map([...reading.stores.keys()].map((name) => [name, ratesBetween(before, reading, [name])]));
      this.#showRates(ratesBetween(before, reading));
    }
    this.reading = reading;
  }

  #showRates(rates) {
    this.tiles.reads.show(short(rates.readsPerS), rates.readsPerS);
    this.tiles.rows.show(short(rates.rowsPerS), rates.rowsPerS);
    this.tiles.time.show(rates.p99Ms === null ? "–" : span(rates.p99Ms), rates.p99Ms ?? 0);
  }

  async #readStores(signal) {
    const stores = await this.reader.read(signal);
    this.#showStatus(stores);
    this.stores = stores;
    this.element.classList.toggle("empty", !stores.length);
    this.welcome.hidden = stores.length > 0;
    this.filter.hidden = stores.length <= FEW_STORES;
    const names = new Set(stores.map((store) => store.name));
    for (const name of this.cards.keys()) if (!names.has(name)) this.cards.delete(name);
    this.#showCards();
  }

  /** Shows the stores that pass the filter, those with problems first. */
  #showCards() {
    const found = shownStores(this.stores, this.filter.hidden ? "" : this.filter.value);
    const shown = found.slice(0, this.cardsMax);
    this.more.hidden = shown.length === found.length;
    setText(this.more, `Show all ${counted(found.length, "store")}`);
    for (const store of shown) {
      if (!this.cards.has(store.name)) this.cards.set(store.name, new StoreCard(store));
      this.cards.get(store.name).update(store, this.rates.get(store.name) ?? null);
    }
    const wanted = shown.map((store) => this.cards.get(store.name).element);
    if (!wanted.length && this.stores.length) wanted.push((this.none ??= notice("No store has such a name")));
    const isSame = wanted.length === this.list.children.length && wanted.every((each, at) => this.list.children[at] === each);
    if (!isSame) this.list.replaceChildren(...wanted);
  }

  #showStatus(stores) {
    const sum = (name) => stores.reduce((total, store) => total + store[name], 0);
    const replicas = stores.reduce((total, store) => total + store.replicas.length, 0);
    const behind = sum("behind"), restoring = sum("restoring");
    const running = replicas - behind - restoring;
    const oldest = stores.filter((store) => store.lagMs !== null).sort((a, b) => b.lagMs - a.lagMs)[0];
    this.tiles.replicas.show(`${count(running)} / ${count(replicas)}`, `in ${counted(stores.length, "store")}`);
    this.tiles.replicas.element.classList.toggle("late", behind > 0);
    this.tiles.lag.show(oldest ? seconds(oldest.lagMs) : "–", oldest ? `of ${oldest.name}` : "");
    const status = behind
      ? { kind: "late", text: `${counted(behind, "replica")} behind` }
      : restoring
        ? { kind: "restoring", text: `${restoring} restoring` }
        : { kind: "current", text: replicas ? "all current" : "no stores" };
    if (this.status !== status.text) announce(status.text);
    this.status = status.text;
    this.onStatus(status);
  }
}

/** A figure; below it the line of its last values, or a text. */
function tile(name, hasLine = false) {
  const value = h("dd", {}, "–"), line = hasLine ? new Sparkline() : null;
  const below = h("dd", { class: hasLine ? "tile-line" : "tile-text" }, line?.element);
  return {
    element: h("dl", { class: "tile" }, h("dt", {}, name), value, below),
    show(text, more) {
      setText(value, text);
      if (line) line.add(more);
      else setText(below, more);
    },
  };
}
