// Requests to the gateway that serves this page.

import { ApiError, brokenOff } from "./errors.js";
import { askForCredentials, authorization } from "./session.js";
import { linesOf, parsed } from "./stream.js";

/** The most rows and characters that a result keeps; reading stops there, and so does the statement. */
export const ROWS_MAX = 10_000;
const CHARACTERS_MAX = 16_000_000;
const NDJSON = "application/x-ndjson";

/**
 * @typedef {{ name: string, type: string }} Column
 * @typedef {(?string)[] | Record<string, ?string>} Params texts, which the gateway reads as the statement needs
 * @typedef {{ sql: string, params?: Params }} Asked
 * @typedef {{ store: string, partition: number, node: string, status: string, reason: ?string,
 *   message: ?string, epoch: number, rows: number, info: string[] }} PartitionAnswer
 * @typedef {{ columns: Column[], rows: unknown[][], isCut: boolean, elapsedMs: number,
 *   position: object, partitions: PartitionAnswer[], notices: string[], tag: ?string }} Result
 */

/**
 * Sends a request with the user's credentials, and asks for them where the gateway does.
 *
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>} of any status but 401
 */
export async function request(path, options = {}) {
  for (;;) {
    const headers = { ...options.headers, ...authorization() };
    const response = await send(path, { ...options, headers });
    const isRefused = response.status === 401 || (response.status === 429 && "Authorization" in headers);
    if (!isRefused) return response;
    await askForCredentials(headers.Authorization ?? "", (await errorOf(response)).message);
  }
}

async function send(path, options) {
  try {
    return await fetch(path, { ...options, credentials: "omit", cache: "no-store", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ message: "the gateway does not answer", hint: "It may be restarting.", retryable: true });
  }
}

/** @param {Response} response @returns {Promise<ApiError>} */
export async function errorOf(response) {
  try {
    return new ApiError((await response.json()).error);
  } catch {
    const isPassing = [502, 503, 504].includes(response.status); // of a proxy: the gateway would say why
    return new ApiError({ message: `the gateway answered ${response.status}`, retryable: isPassing });
  }
}

/** @param {string} path @param {AbortSignal} [signal] */
export async function getJson(path, signal) {
  const response = await request(path, { signal });
  if (!response.ok) throw await errorOf(response);
  return response.json();
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<?string>} null if there is no such path */
export async function getText(path, signal) {
  const response = await request(path, { signal });
  if (response.status === 404) return null;
  if (!response.ok) throw await errorOf(response);
  return response.text();
}

/** @param {string} path @param {object} body @param {AbortSignal} [signal] */
export async function postJson(path, body, signal) {
  const response = await request(path, posted(body, "application/json", signal));
  if (!response.ok) throw await errorOf(response);
  return response.json();
}

/**
 * Runs a statement.
 *
 * @param {string} sql
 * @param {{ signal?: AbortSignal, info?: boolean, params?: Params }} [options] `info` adds what each partition read
 * @returns {Promise<Result>}
 */
export async function runStatement(sql, { signal, info = false, params } = {}) {
  const body = info ? { sql, params, info } : { sql, params };
  return readResult(await request("v1/query", posted(body, NDJSON, signal)));
}

/**
 * Runs a statement by GET unless its answer is still the one with this tag.
 *
 * @param {Asked} asked
 * @param {?string} tag of an earlier result
 * @param {AbortSignal} [signal]
 * @returns {Promise<?Result>} null if nothing has changed
 */
export async function runIfChanged(asked, tag, signal) {
  const headers = { Accept: NDJSON, ...(tag ? { "If-None-Match": tag } : {}) };
  const response = await request(`v1/query?${urlFields(asked)}`, { headers, signal });
  return response.status === 304 ? null : readResult(response);
}

/** @param {Asked} asked @returns {URLSearchParams} the fields of a request by GET */
export function urlFields({ sql, params }) {
  return new URLSearchParams(params ? { sql, params: JSON.stringify(params) } : { sql });
}

/**
 * Returns all rows by column name.
 *
 * @param {string} sql a statement whose rows are known to be few enough
 * @param {AbortSignal} [signal]
 * @returns {Promise<Record<string, any>[]>}
 */
export async function rowsOf(sql, signal) {
  const { columns, rows } = await readResult(await request("v1/query", posted({ sql }, NDJSON, signal)), Infinity);
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])));
}

function posted(body, accept, signal) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  return { method: "POST", headers, body: JSON.stringify(body), signal };
}

/** @param {Response} response @param {number} [rowsMax] @returns {Promise<Result>} */
async function readResult(response, rowsMax = ROWS_MAX) {
  if (!response.ok) throw await errorOf(response);
  const result = { columns: [], rows: [], isCut: false, elapsedMs: 0, position: {}, partitions: [], notices: [] };
  result.tag = response.headers.get("ETag");
  let characters = 0, isWhole = false;
  for await (const line of linesOf(response.body)) {
    const value = parsed(line);
    characters += line.length;
    if (Array.isArray(value)) {
      if (result.rows.length >= rowsMax || characters > CHARACTERS_MAX) {
        result.isCut = true;
        return result; // leaving the loop closes the connection, which cancels the statement
      }
      result.rows.push(value);
    } else if (value.error) throw new ApiError(value.error);
    else if (value.columns) result.columns = value.columns;
    else {
      isWhole = true;
      const { elapsed_ms: elapsedMs, position, partitions, notices = [] } = value;
      Object.assign(result, { elapsedMs, position, partitions, notices });
    }
  }
  if (!isWhole) throw brokenOff();
  return result;
}
