// A small line of the last readings. The figure beside it says the value, so it is for the eye only.

import { svg } from "./dom.js";

const WIDTH = 120, HEIGHT = 28, POINTS_MIN = 12, POINTS_MAX = 60;

/** The last values of one figure. */
export class Sparkline {
  #values = [];

  constructor() {
    this.line = svg("polyline", { class: "spark-line", points: "" });
    this.area = svg("polygon", { class: "spark-area", points: "" });
    const box = { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" };
    this.element = svg("svg", { ...box, "aria-hidden": "true" }, this.area, this.line);
  }

  /** @param {number} value the newest one */
  add(value) {
    this.#values = [...this.#values, value].slice(-POINTS_MAX);
    const most = Math.max(...this.#values, 1e-9), step = WIDTH / (Math.max(POINTS_MIN, this.#values.length) - 1);
    const first = WIDTH - (this.#values.length - 1) * step;
    const points = this.#values.map((each, at) => `${(first + at * step).toFixed(1)},${(HEIGHT - 2 - (each / most) * (HEIGHT - 4)).toFixed(1)}`);
    this.line.setAttribute("points", points.join(" "));
    this.area.setAttribute("points", `${first.toFixed(1)},${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`);
  }
}
