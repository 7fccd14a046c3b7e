// The order of a live result. The gateway says which rows change, but not where they belong, so rows
// are sorted here where ORDER BY names columns of the result.

import { isNumber } from "./tables.js";

const ANY = /\border\s+by\b/i;
const LAST = /\border\s+by\s+([^()']+?)(?:\s+limit\s+\S+)?(?:\s+offset\s+\S+)?[\s;]*$/i;
const ITEM = /^("(?:[^"]|"")+"|[a-z_][\w$]*|\d+)(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?$/i;
const SORTED_AS_TEXT = /^(text|boolean|uuid|date|time|timestamp|timestamptz)$/;
const NOTICE = "The first rows are ordered by ORDER BY; rows that come later are at the end.";

/**
 * Returns what sorts the rows of a statement.
 *
 * @param {string} sql
 * @param {import("./api.js").Column[]} columns of its result
 * @returns {{ sort: (rows: unknown[][]) => unknown[][], notices: string[] }} a notice if the order
 *   is not kept
 */
export function orderOf(sql, columns) {
  if (!ANY.test(sql)) return { sort: (rows) => rows, notices: [] };
  const [, items = ""] = LAST.exec(sql) ?? [];
  const keys = items.split(",").map((item) => keyOf(item.trim(), columns));
  if (keys.includes(null)) return { sort: (rows) => rows, notices: [NOTICE] };
  return { sort: (rows) => rows.sort((a, b) => comparison(keys, a, b)), notices: [] };
}

/** Returns where the values of an item of ORDER BY are, and how they are ordered; null if it is not known. */
function keyOf(item, columns) {
  const [, name, direction = "asc", nulls] = ITEM.exec(item) ?? [];
  if (!name) return null;
  const wanted = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
  const places = columns.flatMap((column, at) => (column.name === wanted ? [at] : []));
  const at = /^\d/.test(name) ? Number(name) - 1 : places.length === 1 ? places[0] : -1;
  const compare = at in columns ? comparerOf(columns[at].type) : null;
  const isDown = direction.toLowerCase() === "desc";
  const nullsFirst = nulls ? nulls.toLowerCase() === "first" : isDown;
  return compare && { at, compare, sign: isDown ? -1 : 1, nullSign: nullsFirst ? -1 : 1 };
}

function comparison(keys, a, b) {
  for (const { at, compare, sign, nullSign } of keys) {
    const isNull = (a[at] === null) - (b[at] === null);
    const found = isNull || a[at] === null ? isNull * nullSign : compare(a[at], b[at]) * sign;
    if (found) return found;
  }
  return 0;
}

function comparerOf(type) {
  if (SORTED_AS_TEXT.test(type)) return type.startsWith("timestamp") ? compareMoments : compareValues;
  return isNumber(type) ? compareNumbers : null;
}

function compareValues(a, b) {
  return (a > b) - (a < b);
}

/** Compares ISO 8601 in UTC: the Z would come after the point of a fraction. */
function compareMoments(a, b) {
  return compareValues(a.replace("Z", ""), b.replace("Z", ""));
}

/** Compares numbers, some of which are texts: long ones, decimals, infinities and NaN, which is the greatest. */
function compareNumbers(a, b) {
  const x = Number(a), y = Number(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
  return x === y && typeof a === "string" && typeof b === "string" ? compareDigits(a, b) : compareValues(x, y);
}

/** Compares integers that are equal as far as a number of JavaScript is exact. */
function compareDigits(a, b) {
  return [a, b].every((each) => /^-?\d+$/.test(each)) ? compareValues(BigInt(a), BigInt(b)) : 0;
}
