// Numbers and times as people read them.

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** @param {number} n */
export function count(n) {
  return COUNT.format(n);
}

/** @param {number} n such as 12.3M */
export function short(n) {
  return n < 10 && n > 0 ? String(Math.round(n * 10) / 10) : SHORT.format(n);
}

/** @param {number} n @param {string} noun in the singular */
export function counted(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** @param {number} ms a span of time, from microseconds to days */
export function span(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  for (const [unit, size] of UNITS) {
    if (ms >= size) return `${ms < 10 * size ? (ms / size).toFixed(1) : Math.round(ms / size)} ${unit}`;
  }
  return "0 ms";
}

/** @param {number} ms an age, always in seconds, so that ages can be compared */
export function seconds(ms) {
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${count(Math.round(ms / 1000))} s`;
}

/** @param {number} ms epoch milliseconds; in UTC, as the gateway's answers are */
export function moment(ms) {
  return new Date(ms).toISOString().replace("T", " ").replace(/\.\d+Z$/, "");
}

/** @param {Date} at the time of day at the reader's place */
export function clock(at) {
  return at.toLocaleTimeString("en-GB");
}
