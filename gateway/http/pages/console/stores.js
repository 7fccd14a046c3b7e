// What the first view knows about the stores, and which replicas are behind.

import { getJson, postJson, rowsOf } from "./api.js";

/** A store whose newest epoch is older than this is shown as quiet: its pipeline has stopped, or rests. */
const QUIET_MS = 300_000;
/** Up to so many rows are counted, which takes milliseconds; of more there is an estimate. */
const COUNTED_MAX = 50_000;

/**
 * @typedef {{ store: string, partition: number, node: string, role: string, state: string, epoch: number,
 *   watermarkMs: ?number, lagMs: ?number, lateRows: number, error: ?string, rows: ?number,
 *   trouble: ?string }} Replica
 * @typedef {{ name: string, kind: string, comment: ?string, key: { name: string, type: string }[],
 *   columns: { name: string, type: string }[], partitions: number, logError: ?string, newest: number,
 *   replicas: Replica[], lagMs: ?number, watermarkMs: ?number, rows: ?number, isExact: boolean, behind: number,
 *   restoring: number, isQuiet: boolean }} Store
 */

/** Reads the stores again and again; each reading is compared with the one before. */
export class StoreReader {
  #documents = [];
  /** @type {Map<string, number>} the newest epoch of each store that was known before this reading */
  #expected = new Map();
  /** @type {Map<string, Map<number, number>>} how many rows each partition has, or about how many */
  #rows = new Map();
  /** @type {Map<string, boolean>} whether they were counted */
  #isExact = new Map();

  /** Reads the definitions, and the newest epoch in each log. @param {AbortSignal} signal */
  async readDefinitions(signal) {
    this.#documents = (await getJson("v1/stores", signal)).stores;
  }

  /** Counts or estimates the rows of the partitions of each store. @param {AbortSignal} signal */
  async readRows(signal) {
    for (const { name } of this.#documents) {
      try {
        const about = await this.#ask(name, "approximate_count", signal);
        const isSmall = sum(about) <= COUNTED_MAX;
        this.#rows.set(name, isSmall ? await this.#ask(name, "count", signal) : about);
        this.#isExact.set(name, isSmall);
      } catch (error) {
        if (signal.aborted) throw error;
        this.#rows.delete(name); // the picture shows no rows rather than old ones
      }
    }
  }

  async #ask(name, type, signal) {
    const answer = await postJson(`v1/stores/${encodeURIComponent(name)}/query`, { type, partial: true }, signal);
    return new Map(answer.partitions.map((each) => [each.partition, each.result]));
  }

  /** Reads the state of all replicas. @param {AbortSignal} signal @returns {Promise<Store[]>} */
  async read(signal) {
    const sql = "SELECT * FROM stategate.partitions ORDER BY store, partition, node";
    const byStore = Map.groupBy(await rowsOf(sql, signal), (row) => row.store);
    const stores = this.#documents.map((document) => this.#store(document, byStore.get(document.name) ?? []));
    for (const store of stores) this.#expected.set(store.name, store.newest);
    return stores;
  }

  #store(document, rows) {
    const expected = this.#expected.get(document.name) ?? -1;
    const replicas = rows.map((row) => this.#replica(row, expected));
    const newest = Math.max(-1, document.committed_epoch ?? -1, ...replicas.map((each) => each.epoch));
    const lags = known(replicas, "lagMs"), marks = known(replicas, "watermarkMs"), held = this.#rows.get(document.name);
    const lagMs = lags.length ? Math.max(...lags) : null;
    return {
      ...document,
      logError: document.log_error,
      newest,
      replicas,
      lagMs,
      watermarkMs: marks.length ? Math.min(...marks) : null,
      rows: held ? sum(held) : null,
      isExact: this.#isExact.get(document.name) ?? false,
      behind: replicas.filter((each) => each.trouble && each.state !== "restoring").length,
      restoring: replicas.filter((each) => each.state === "restoring").length,
      isQuiet: lags.length > 0 && Math.min(...lags) > QUIET_MS,
    };
  }

  #replica(row, expected) {
    const { watermark_ms: watermarkMs, lag_ms: lagMs, late_rows: lateRows, ...rest } = row;
    const rows = this.#rows.get(row.store)?.get(row.partition) ?? null;
    return { ...rest, watermarkMs, lagMs, lateRows, rows, trouble: troubleOf(row, expected) };
  }
}

/**
 * Says what is wrong with a replica. An epoch that was there at the last reading, two seconds ago,
 * should have been applied by now.
 */
function troubleOf(row, expected) {
  if (row.error) return row.error;
  if (row.state === "restoring") return "restoring";
  if (row.state !== "running") return row.state;
  const missing = expected - row.epoch;
  if (missing <= 0) return null;
  return missing === 1 ? "1 epoch behind" : `${missing} epochs behind`;
}

/** @param {Map<number, ?number>} rows of partitions */
function sum(rows) {
  return [...rows.values()].reduce((total, n) => total + (n ?? 0), 0);
}

function known(replicas, name) {
  return replicas.map((each) => each[name]).filter((value) => value !== null);
}
