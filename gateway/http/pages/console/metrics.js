// Rates and latencies from two readings of `/metrics`, which is text in Prometheus's format.

const LINE = /^stategate_(store_queries_total|store_rows_total|store_query_seconds_bucket)\{([^}]*)\} (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
/** What this page itself asks for is not counted: numbers of rows. */
const OWN = new Set(["ApproximateCountQuery", "CountQuery"]);

/**
 * @typedef {{ reads: number, rows: number, buckets: Map<number, number> }} Counts of one store, so far
 * @typedef {{ atMs: number, stores: Map<string, Counts> }} Reading
 * @typedef {{ readsPerS: number, rowsPerS: number, p99Ms: ?number }} Rates
 */

/** @param {string} text @param {number} atMs when it was read @returns {Reading} */
export function readMetrics(text, atMs) {
  const stores = new Map();
  for (const line of text.split("\n")) {
    const found = LINE.exec(line);
    if (!found) continue;
    const labels = Object.fromEntries([...found[2].matchAll(LABEL)].map(([, name, value]) => [name, value]));
    if (!stores.has(labels.store)) stores.set(labels.store, { reads: 0, rows: 0, buckets: new Map() });
    add(stores.get(labels.store), found[1], labels, Number(found[3]));
  }
  return { atMs, stores };
}

/** Several workers have a series each, which are added up. */
function add(counts, name, labels, value) {
  if (name === "store_rows_total") counts.rows += value;
  else if (name === "store_queries_total") counts.reads += OWN.has(labels.type) ? 0 : value;
  else {
    const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
    counts.buckets.set(bound, (counts.buckets.get(bound) ?? 0) + value);
  }
}

/**
 * @param {Reading} before
 * @param {Reading} after
 * @param {string[]} [names] the stores to add up; all by default
 * @returns {Rates}
 */
export function ratesBetween(before, after, names = [...after.stores.keys()]) {
  const seconds = Math.max(0.001, (after.atMs - before.atMs) / 1000);
  const buckets = new Map();
  let reads = 0, rows = 0;
  for (const name of names) {
    const now = after.stores.get(name), then = before.stores.get(name);
    if (!now) continue;
    // A gateway that was restarted counts from zero again.
    reads += Math.max(0, now.reads - (then?.reads ?? 0));
    rows += Math.max(0, now.rows - (then?.rows ?? 0));
    for (const [bound, n] of now.buckets) {
      buckets.set(bound, (buckets.get(bound) ?? 0) + Math.max(0, n - (then?.buckets.get(bound) ?? 0)));
    }
  }
  return { readsPerS: reads / seconds, rowsPerS: rows / seconds, p99Ms: reads ? quantile(buckets, 0.99) : null };
}

/** @param {Map<number, number>} buckets cumulative, by upper bound in seconds @returns {?number} milliseconds; null without reads */
function quantile(buckets, share) {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (!total) return null;
  const wanted = share * total;
  let lower = 0, below = 0;
  for (const [bound, upTo] of sorted) {
    if (upTo >= wanted) {
      if (bound === Infinity) return lower * 1000;
      return (lower + ((bound - lower) * (wanted - below)) / Math.max(1, upTo - below)) * 1000;
    }
    [lower, below] = [bound, upTo];
  }
  return lower * 1000;
}
