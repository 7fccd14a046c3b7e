// Work that is repeated while somebody sees the page.

const HIDDEN_MS = 500;

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
    await whileHidden(signal);
  }
}

/**
 * Waits, but not after the signal has aborted.
 *
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", end);
  });
}

/** Waits until somebody sees the page. @param {AbortSignal} signal ends the wait */
export async function whileHidden(signal) {
  while (document.hidden && !signal.aborted) await pause(HIDDEN_MS, signal);
}
