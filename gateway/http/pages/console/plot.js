// A result as a chart: lines over time and numbers, bars over anything else.

import uPlot from "./vendor/uplot.js";
import { h, notice } from "./dom.js";
import { counted, moment, short } from "./format.js";
import { isNumber } from "./tables.js";

const SERIES_MAX = 8, BARS_MAX = 60, HEIGHT = 340, DAY_S = 86_400;
const TIME = /^(timestamp|timestamptz|date)$/;
const COLOURS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6", "--series-7", "--series-8"];

/**
 * @typedef {{ kind: "lines" | "bars", isTime: boolean, x: number, split: ?number, ys: number[] }} Choice
 *   of columns by their index; `split` has the names of the series
 * @typedef {{ choice: Choice, x: (number | string)[], series: { name: string, values: (?number)[] }[], isCut: boolean }} Chart
 */

/** @param {import("./api.js").Column[]} columns @returns {?Choice} null if there is no number to show */
export function choose(columns) {
  const at = (test) => columns.flatMap((column, i) => (test(column) ? [i] : []));
  const times = at(({ type }) => TIME.test(type)), numbers = at(({ type }) => isNumber(type));
  const others = at(({ type }) => !TIME.test(type) && !isNumber(type));
  if (!numbers.length) return null;
  if (times.length) return { kind: "lines", isTime: true, x: times[0], split: others[0] ?? null, ys: numbers };
  if (others.length) return { kind: "bars", isTime: false, x: others[0], split: null, ys: numbers };
  if (numbers.length === 1) return null;
  return { kind: "lines", isTime: false, x: numbers[0], split: null, ys: numbers.slice(1) };
}

/**
 * Returns the points of a chart.
 *
 * @param {import("./api.js").Column[]} columns
 * @param {unknown[][]} rows
 * @param {Choice} choice
 * @returns {Chart}
 */
export function chartOf(columns, rows, choice) {
  return choice.kind === "bars" ? bars(columns, rows, choice) : lines(columns, rows, choice);
}

function bars(columns, rows, choice) {
  const shown = rows.slice(0, BARS_MAX), y = choice.ys[0];
  const series = [{ name: columns[y].name, values: shown.map((row) => numeric(row[y])) }];
  return { choice, x: shown.map((row) => String(row[choice.x] ?? "NULL")), series, isCut: rows.length > BARS_MAX };
}

function lines(columns, rows, choice) {
  const ys = choice.split === null ? choice.ys.slice(0, SERIES_MAX) : choice.ys.slice(0, 1);
  const places = new Map(), series = new Map();
  const moments = rows.map((row) => (choice.isTime ? Date.parse(utc(row[choice.x])) / 1000 : numeric(row[choice.x])));
  for (const x of [...new Set(moments)].filter(Number.isFinite).sort((a, b) => a - b)) places.set(x, places.size);
  let isCut = false;
  rows.forEach((row, at) => {
    for (const y of ys) {
      const name = choice.split === null ? columns[y].name : String(row[choice.split] ?? "NULL");
      if (!series.has(name) && series.size >= SERIES_MAX) isCut = true;
      else {
        if (!series.has(name)) series.set(name, new Array(places.size).fill(null));
        if (places.has(moments[at])) series.get(name)[places.get(moments[at])] = numeric(row[y]);
      }
    }
  });
  return { choice, x: [...places.keys()], series: [...series].map(([name, values]) => ({ name, values })), isCut };
}

/** Times without a zone are in UTC, as all of the gateway's are. */
function utc(value) {
  const text = String(value ?? "");
  return text.includes("T") && !text.endsWith("Z") ? `${text}Z` : text;
}

function numeric(value) {
  return value === null || value === "" || !Number.isFinite(Number(value)) ? null : Number(value);
}

/** A chart with the choice of its columns. */
export class PlotView {
  constructor() {
    this.controls = h("div", { class: "plot-controls" });
    this.canvas = h("div", { class: "plot-canvas" });
    this.note = h("p", { class: "hint" });
    this.element = h("div", { class: "plot" }, this.controls, this.canvas, this.note);
    /** @type {?Choice} */
    this.choice = null;
    this.shape = "";
    /** @type {?import("./api.js").Column[]} */
    this.columns = null;
    /** @type {unknown[][]} */
    this.rows = [];
    /** @type {?uPlot} */
    this.plot = null;
    this.sizes = new ResizeObserver(() => this.plot?.setSize({ width: this.canvas.clientWidth, height: HEIGHT }));
    this.sizes.observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /** @param {import("./api.js").Result} result */
  show({ columns, rows }) {
    const shape = JSON.stringify(columns), isOther = shape !== this.shape;
    [this.shape, this.columns, this.rows] = [shape, columns, rows];
    if (isOther) {
      this.choice = choose(columns);
      this.#showControls(columns);
    }
    this.#draw();
  }

  /** Shows nothing. */
  clear() {
    this.columns = null;
    this.shape = "";
    this.controls.replaceChildren();
    this.#draw();
    this.canvas.replaceChildren(notice("Nothing to plot yet"));
  }

  #showControls(columns) {
    if (!this.choice) return this.controls.replaceChildren();
    const numbers = columns.flatMap(({ name, type }, at) => (isNumber(type) && at !== this.choice.x ? [[String(at), name]] : []));
    const kinds = [["lines", "Lines"], ["bars", "Bars"]];
    this.controls.replaceChildren(
      ...select("Chart", kinds, this.choice.kind, (kind) => this.#as(kind), () => this.#draw()),
      ...select("Over", columns.map(({ name }, at) => [String(at), name]), String(this.choice.x), (x) => this.#over(Number(x)), () => this.#draw()),
      ...select("Show", this.#isSingle() ? numbers : [["", "all numbers"], ...numbers], this.#isSingle() ? String(this.choice.ys[0]) : "", (y) => this.#of(y), () => this.#draw()),
    );
  }

  /** Whether one column of numbers is shown: as bars, or split into series by another column. */
  #isSingle() {
    return this.choice.kind === "bars" || this.choice.split !== null;
  }

  #over(x) {
    const { type } = this.columns[x], isTime = TIME.test(type), kind = isTime || isNumber(type) ? "lines" : "bars";
    const split = isTime ? this.choice.split : null;
    this.choice = { ...this.choice, x, isTime, kind, split: split === x ? null : split, ys: this.#numbers(x) };
    this.#showControls(this.columns);
  }

  #as(kind) {
    this.choice = { ...this.choice, kind };
    this.#showControls(this.columns);
  }

  #of(y) {
    this.choice = { ...this.choice, ys: y === "" ? this.#numbers(this.choice.x) : [Number(y)] };
  }

  #numbers(x) {
    return this.columns.flatMap(({ type }, at) => (isNumber(type) && at !== x ? [at] : []));
  }

  #draw() {
    this.plot?.destroy();
    this.plot = null;
    if (!this.columns) return;
    if (!this.choice || !this.rows.length) {
      const text = this.rows.length ? "A plot needs a column of numbers, and another column to show them over." : "The result has no rows.";
      this.canvas.replaceChildren(notice("Nothing to plot", { text }));
      this.note.textContent = "";
      return;
    }
    const chart = chartOf(this.columns, this.rows, this.choice);
    this.canvas.replaceChildren();
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", spoken(chart, this.columns));
    this.plot = new uPlot(optionsOf(chart, this.columns[chart.choice.x].name, this.canvas.clientWidth || 600), dataOf(chart), this.canvas);
    const limit = this.choice.kind === "bars" ? `${BARS_MAX} rows` : `${SERIES_MAX} series`;
    this.note.textContent = chart.isCut ? `The plot shows the first ${limit}.` : "";
  }
}

function spoken(chart, columns) {
  const names = chart.series.map((each) => each.name).join(", ");
  return `${chart.choice.kind === "bars" ? "Bars" : "Lines"} of ${names} over ${columns[chart.choice.x].name}, ${counted(chart.x.length, "point")}. The table has the same values.`;
}

function select(label, options, chosen, choose, redraw) {
  const id = `plot-${label.toLowerCase()}`;
  const list = h("select", { id }, ...options.map(([value, name]) => h("option", { value, selected: value === chosen }, name)));
  list.addEventListener("change", () => { choose(list.value); redraw(); });
  return [h("label", { for: id }, label), list];
}

function dataOf({ choice, x, series }) {
  const places = choice.kind === "bars" && typeof x[0] === "string" ? x.map((_, at) => at) : x;
  return [places, ...series.map((each) => each.values)];
}

/** Times of the day in 24 hours; days and months where a step is a day or more, and at midnight. */
function timeLabels(_, moments, axis, space, stepS) {
  const part = (at, options) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options }).format(at * 1000);
  return moments.map((at) => {
    if (stepS >= 28 * DAY_S) return part(at, { month: "short", year: "numeric" });
    if (stepS >= DAY_S || at % DAY_S === 0) return part(at, { day: "numeric", month: "short" });
    return part(at, { hour: "2-digit", minute: "2-digit", ...(stepS < 60 ? { second: "2-digit" } : {}) });
  });
}

function optionsOf({ choice, x, series }, name, width) {
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = { stroke: css("--muted"), grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--grid") }, font: "12px system-ui" };
  const isNamed = typeof x[0] === "string";
  const colour = (at) => css(COLOURS[at % COLOURS.length]);
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: { x: { time: choice.isTime && choice.kind === "lines", ...(isNamed ? { range: () => [-0.6, x.length - 0.4] } : {}) }, y: { range: fromZero } },
    axes: [
      isNamed ? { ...axis, ...namedAxis(x, width) } : choice.isTime ? { ...axis, values: timeLabels } : axis,
      { ...axis, size: 64, values: (_, values) => values.map((value) => short(value)) },
    ],
    series: [
      { label: name, value: (_, at) => (at === null ? "–" : isNamed ? (x[at] ?? "") : choice.isTime ? moment(at * 1000) : String(at)) },
      ...series.map(({ name: label }, at) => ({
        label,
        stroke: colour(at),
        width: 2,
        spanGaps: false,
        points: { show: choice.kind === "lines" && x.length < 40 },
        ...(choice.kind === "bars" ? { fill: `${colour(at)}cc`, paths: uPlot.paths.bars({ size: [0.7, 60], radius: 0.06 }) } : {}),
      })),
    ],
  };
}

function namedAxis(names, width) {
  const fits = width / names.length > 9 * Math.max(...names.map((name) => name.length));
  const every = Math.ceil((names.length * 18) / width);
  return {
    splits: () => names.map((_, at) => at),
    values: (_, places) => places.map((at) => (at % every ? "" : names[at].slice(0, 16))),
    rotate: fits ? 0 : -50,
    size: fits ? 40 : 90,
    grid: { show: false },
  };
}

function fromZero(_, least, most) {
  if (least === null || most === null) return [0, 1];
  const padding = (most - least || Math.abs(most) || 1) * 0.08;
  return [least >= 0 ? 0 : least - padding, most <= 0 ? 0 : most + padding];
}
