// A live query: its first rows, and then the changes of each epoch, as the gateway sends them.

import { errorOf, request, urlFields } from "./api.js";
import { ApiError } from "./errors.js";
import { LiveRows } from "./live_rows.js";
import { orderOf } from "./order.js";
import { pause, whileHidden } from "./polling.js";
import { messagesOf } from "./stream.js";

/** The gateway says something every 15 s. A stream that is silent for longer has lost it. */
const SILENCE_MS = 40_000;
const RETRY_MS = 500, RETRY_MAX_MS = 30_000;
/** The gateway has dropped events that this page was too slow to read. */
const TOO_SLOW = "53400";

/**
 * Follows a SELECT by streams, one after another, until the signal aborts.
 *
 * @param {import("./api.js").Asked} asked
 * @param {import("./live.js").Listener} listener
 * @param {AbortSignal} signal
 * @throws {ApiError} one that another stream would not mend
 */
export async function subscribe(asked, listener, signal) {
  const subscription = new Subscription(asked, listener, signal);
  while (!signal.aborted) {
    await whileHidden(signal);
    await attempt(subscription, listener, signal);
  }
}

/** Reads one stream to its end, and waits after trouble. */
async function attempt(subscription, listener, signal) {
  const link = new Link(signal);
  try {
    await subscription.read(link);
  } catch (error) {
    if (signal.aborted || link.isResting) return;
    const trouble = link.isLost ? lost() : error;
    if (!isPassing(trouble)) throw trouble;
    listener.onTrouble(trouble);
    await pause(subscription.nextPauseMs(), signal);
  } finally {
    link.close();
  }
}

function isPassing(error) {
  return error instanceof ApiError && (error.retryable || error.sqlstate === TOO_SLOW);
}

function lost() {
  return new ApiError({ message: "the gateway does not answer", retryable: true });
}

/** What ends one stream: the work that it is for, a page that nobody sees, and silence. */
class Link {
  #controller = new AbortController();
  #timer = 0;

  /** @param {AbortSignal} signal of the work */
  constructor(signal) {
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
    this.isResting = false;
    this.isLost = false;
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.#end("isResting"); }, { signal: this.signal });
  }

  /** Notes a sign of life. */
  heard() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end("isLost"), SILENCE_MS);
  }

  #end(reason) {
    this[reason] = true;
    this.#controller.abort();
  }

  /** Ends it. */
  close() {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}

/** The rows so far, and how to go on from them. */
class Subscription {
  #rows = new LiveRows();
  /** The place in the stream to go on from; null before the first rows are complete. @type {?string} */
  #token = null;
  #columns = [];
  #how = "";
  #order = { sort: (rows) => rows, notices: [] };
  #isChanged = false;
  #frame = 0;
  #failures = 0;

  /** @param {import("./api.js").Asked} asked @param {import("./live.js").Listener} listener @param {AbortSignal} signal of the work */
  constructor(asked, listener, signal) {
    this.asked = asked;
    this.listener = listener;
    this.signal = signal;
  }

  /**
   * Reads one stream.
   *
   * @param {Link} link
   * @throws {ApiError} always: why the stream has ended
   */
  async read(link) {
    try {
      const headers = { Accept: "text/event-stream", ...(this.#token === null ? {} : { "Last-Event-ID": this.#token }) };
      const response = await request(`v1/subscribe?${urlFields(this.asked)}`, { headers, signal: link.signal });
      if (!response.ok) throw await errorOf(response);
      if (this.#token === null) this.#startOver();
      link.heard();
      for await (const message of messagesOf(response.body)) {
        link.heard();
        this.#take(message ?? { event: "comment" });
      }
      throw new ApiError({ message: "the stream has ended", retryable: true });
    } finally {
      this.#drawNow();
    }
  }

  /** @returns {number} the pause before another stream, longer each time until one has brought something */
  nextPauseMs() {
    const ms = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    return ms * (0.5 + Math.random() / 2); // so that not all pages come back at once
  }

  #take(message) {
    switch (message.event) {
      case "start_over":
        return this.#startOver();
      case "columns":
        this.#columns = message.columns;
        this.#order = orderOf(this.asked.sql, message.columns);
        return this.#drawSoon();
      case "rows":
        return this.#rows.insert(message.rows);
      case "changes":
        this.#change(message);
        return this.#reached(message);
      case "progress":
        return this.#reached(message);
      case "error":
        throw new ApiError(message.error);
      default:
        this.#failures = 0; // a stream that has nothing to say is none that fails
        return this.#drawSoon();
    }
  }

  #startOver() {
    this.#rows = new LiveRows();
    this.#token = null;
    this.#isChanged = true;
  }

  #change(changes) {
    this.#isChanged = true;
    if (this.#rows.change(changes)) return;
    this.#token = null; // the next stream begins with all rows
    throw new ApiError({ message: "a change does not fit these rows", retryable: true });
  }

  #reached({ token, epoch }) {
    this.#token = token;
    this.#how = `live · epoch ${epoch}`;
    this.#failures = 0;
    this.#drawSoon();
  }

  /** Draws once for all that has come until the browser draws, too. */
  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    // Without a token the rows are not complete.
    const isDue = this.#frame && this.#token !== null && !this.signal.aborted;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!isDue) return;
    if (!this.#isChanged) return this.listener.onAlive(this.#how);
    this.#isChanged = false;
    const rows = this.#order.sort(this.#rows.list());
    const result = { columns: this.#columns, rows, isCut: false, elapsedMs: 0, position: {}, partitions: [], notices: this.#order.notices, tag: null };
    this.listener.onResult(result, { how: this.#how, fresh: this.#rows.takeFresh() });
  }
}
