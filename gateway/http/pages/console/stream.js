// Answers that come in parts: lines of text, and the events of a live query.

import { brokenOff } from "./errors.js";

const DATA = "data: ", COMMENT = ":";
const NUMBER_OR_STRING = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads lines as they come. Who leaves the loop closes the connection, which cancels the statement.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<string>}
 */
export async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  try {
    for (;;) {
      const { value, done } = await read(reader);
      if (done) break;
      const lines = value.split("\n");
      lines[0] = held + lines[0];
      held = lines.pop();
      yield* lines;
    }
    if (held) yield held;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    throw error.name === "AbortError" ? error : brokenOff();
  }
}

/**
 * Reads server-sent events as they come. One that was cut is left out.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<?Record<string, any>>} the data of each event, which has its name, too;
 *   null for a comment: the gateway is there, and has nothing to say
 */
export async function* messagesOf(body) {
  let data = "";
  for await (const line of linesOf(body)) {
    if (line.startsWith(DATA)) data = line.slice(DATA.length);
    else if (line.startsWith(COMMENT)) yield null;
    else if (line === "" && data) {
      yield parsed(data);
      data = "";
    }
  }
}

/**
 * Reads JSON. Integers of more than 15 digits stay texts, since a number of JavaScript would round them.
 *
 * @param {string} line
 */
export function parsed(line) {
  if (!/\d{16}/.test(line)) return JSON.parse(line);
  return JSON.parse(line.replace(NUMBER_OR_STRING, (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)));
}
