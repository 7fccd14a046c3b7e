// Work that goes on: polling, and results that follow the stores.

import { ApiError, runIfChanged } from "./api.js";

const CHANGED_MS = 1_000;
const UNTAGGED_MS = 3_000;

/**
 * Repeats some work until the signal aborts. It rests while nobody sees the page.
 *
 * @param {number} pauseMs between the end of one run and the start of the next
 * @param {() => Promise<unknown>} work handles its own errors
 * @param {AbortSignal} signal
 */
export async function every(pauseMs, work, signal) {
  while (!signal.aborted) {
    await work();
    await pause(pauseMs, signal);
    while (document.hidden && !signal.aborted) await pause(500, signal);
  }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

/**
 * Follows a SELECT: gives its result now, and again whenever it changes, until the signal aborts.
 *
 * The gateway is asked each second whether the answer has another ETag; it says so without reading
 * a row. A statement without a tag, such as one that depends on the clock, runs every three seconds.
 *
 * @param {string} sql
 * @param {{ onResult: (result: import("./api.js").Result) => void, onUnchanged: () => void,
 *   onError: (error: ApiError, isOver: boolean) => void }} listener
 * @param {AbortSignal} signal
 */
export async function follow(sql, { onResult, onUnchanged, onError }, signal) {
  let tag = null;
  const ended = new AbortController();
  signal.addEventListener("abort", () => ended.abort(), { once: true });
  while (!ended.signal.aborted) {
    try {
      const result = await runIfChanged(sql, tag, ended.signal);
      if (ended.signal.aborted) return;
      if (result === null) onUnchanged();
      else {
        tag = result.tag;
        onResult(result);
      }
    } catch (error) {
      if (ended.signal.aborted) return;
      const isOver = !(error instanceof ApiError && error.retryable);
      onError(error, isOver);
      if (isOver) return;
    }
    await pause(tag ? CHANGED_MS : UNTAGGED_MS, ended.signal);
    while (document.hidden && !ended.signal.aborted) await pause(500, ended.signal);
  }
}
