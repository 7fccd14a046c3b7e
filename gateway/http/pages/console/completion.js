// The names that the editor completes: stores, their columns, system relations and functions.

import { getJson, rowsOf } from "./api.js";
import { quoted } from "./store_card.js";

const SYSTEM_COLUMNS =
  "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns " +
  "WHERE table_schema IN ('stategate') ORDER BY table_name, ordinal_position";
const RELATION = /\b(?:from|join)\s+((?:[\w$]+|"[^"]+")(?:\.(?:[\w$]+|"[^"]+"))?)|,\s*((?:[\w$]+|"[^"]+"))/gi;

/**
 * @typedef {{ name: string, type: string }} NamedColumn
 * @typedef {{ stores: { name: string, kind: string, columns: NamedColumn[], key: NamedColumn[] }[],
 *   language: object, source: Function, addresses: import("./snippets.js").Addresses }} Names
 */

/**
 * Reads the names of stores and functions, and then those of system relations, which may take longer.
 *
 * @param {(names: Names) => void} onNames is called twice
 * @param {AbortSignal} [signal]
 */
export async function readNames(onNames, signal) {
  const [{ stores, addresses }, { functions }] = await Promise.all([getJson("v1/stores", signal), getJson("console/functions.json", signal)]);
  onNames({ ...namesOf(stores, functions, []), addresses });
  onNames({ ...namesOf(stores, functions, await rowsOf(SYSTEM_COLUMNS, signal)), addresses });
}

function namesOf(stores, functions, system) {
  const relations = new Map(stores.map((store) => [store.name, store.columns]));
  const schema = Object.fromEntries(stores.map((store) => [store.name, store.columns.map(columnOption)]));
  schema.stategate = {};
  for (const row of system) (schema.stategate[row.table_name] ??= []).push({ label: row.column_name, type: "property", detail: row.data_type });
  const calls = new Set(functions);
  // Keywords are matched in lower case and written in upper case; a function goes before its keyword.
  const keywordCompletion = (label, type) => ({ label, apply: label.toUpperCase(), type, boost: calls.has(label) ? -99 : -1 });
  return { stores, language: { schema, keywordCompletion }, source: sourceOf(relations, [...calls]) };
}

function columnOption({ name, type }) {
  return { label: name, apply: quoted(name), type: "property", detail: type };
}

/**
 * Completes what CodeMirror's own completion leaves out: functions, and columns without a qualifier,
 * those of the statement's stores first.
 */
function sourceOf(relations, functions) {
  const calls = functions.map((name) => ({ label: name, apply: `${name}(`, type: "function", detail: "function", boost: -20 }));
  return (context) => {
    const word = context.matchBefore(/[\w$]+/);
    if ((!word && !context.explicit) || context.matchBefore(/[.'"][\w$]*/)) return null;
    const used = relationsOf(context.state.doc.toString()).filter((name) => relations.has(name));
    const columns = (used.length ? used : [...relations.keys()]).flatMap((name) => relations.get(name));
    const byName = new Map(columns.map((column) => [column.name, { ...columnOption(column), boost: used.length ? 10 : -10 }]));
    return { from: word ? word.from : context.pos, options: [...byName.values(), ...calls], validFor: /^[\w$]*$/ };
  };
}

/** @param {string} text @returns {string[]} names after FROM, JOIN and commas; a guess, for statements that are being written */
function relationsOf(text) {
  return [...text.matchAll(RELATION)].map(([, first, next]) => (first ?? next).replaceAll('"', "").replace(/^public\./, ""));
}
