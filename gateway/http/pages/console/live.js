// Results that follow the stores: by a stream of changes, or by asking again where there is none.

import { runIfChanged } from "./api.js";
import { ApiError } from "./errors.js";
import { pause, whileHidden } from "./polling.js";
import { subscribe } from "./subscription.js";

const NOT_SUPPORTED = "0A000";
const CHANGED_MS = 1_000;
const UNTAGGED_MS = 3_000;

/**
 * @typedef {object} Listener
 * @property {(result: import("./api.js").Result, state: { how: string, fresh: Set<unknown[]> }) => void} onResult
 *   gets the rows as they are now; `how` they were found, and which are new
 * @property {(how: string) => void} onAlive is called when nothing has changed
 * @property {(error: ApiError) => void} onTrouble is called before another try
 */

/**
 * Follows a SELECT until the signal aborts: gives its result now, and again whenever it changes.
 *
 * @param {import("./api.js").Asked} asked
 * @param {Listener} listener
 * @param {AbortSignal} signal
 * @throws {ApiError} one that another try would not mend
 */
export async function follow(asked, listener, signal) {
  try {
    await subscribe(asked, listener, signal);
  } catch (error) {
    if (error.sqlstate !== NOT_SUPPORTED) throw error;
    await poll(asked, error, listener, signal);
  }
}

/**
 * Asks each second whether the answer has another ETag; the gateway says so without reading a row.
 * A statement without a tag, such as one that depends on the clock, runs every three seconds.
 */
async function poll(asked, refusal, { onResult, onAlive, onTrouble }, signal) {
  const how = `polling: ${refusal.detail.replace(/\.$/, "") || refusal.message}`;
  let tag = null, before = null;
  while (!signal.aborted) {
    try {
      const result = await runIfChanged(asked, tag, signal);
      if (signal.aborted) return;
      if (result === null) onAlive(how);
      else {
        const texts = result.rows.map((row) => JSON.stringify(row)), known = before;
        const fresh = new Set(result.rows.filter((_, at) => known && !known.has(texts[at])));
        [tag, before] = [result.tag, new Set(texts)];
        onResult(result, { how, fresh });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError && error.retryable)) throw error;
      onTrouble(error);
    }
    await pause(tag ? CHANGED_MS : UNTAGGED_MS, signal);
    await whileHidden(signal);
  }
}
