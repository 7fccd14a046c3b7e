// EXPLAIN ANALYZE as a tree: what was read, where, how many rows, and how long it took.

import { h, notice } from "./dom.js";
import { count, counted, span } from "./format.js";

const TIME = /^(.*): (\d+) ns$/;

/**
 * @typedef {{ title: string, text: string, rows: ?number, ms: ?number, notes: string[], isLate?: boolean,
 *   children: PlanNode[] }} PlanNode
 */

/** @param {string} sql @returns {string} the statement that measures another one */
export function explaining(sql) {
  return `EXPLAIN (ANALYZE, FORMAT JSON) ${sql.replace(/[\s;]+$/, "")}`;
}

/** The characters that `explaining` puts before a statement. */
export const EXPLAIN_LENGTH = explaining("").length;

/** @param {import("./api.js").Result} result of such a statement @returns {HTMLElement} */
export function planView(result) {
  const cell = result.rows[0]?.[0];
  const document = typeof cell === "string" ? JSON.parse(cell) : cell;
  if (!document?.[0]?.Plan) return notice("This statement has no plan");
  const root = planTree(document[0], result.partitions);
  const most = root.ms || 1;
  return h("div", { class: "plan" }, h("ul", { class: "plan-tree" }, nodeView(root, most)));
}

/**
 * Returns the tree of a plan.
 *
 * @param {Record<string, any>} plan the document of EXPLAIN
 * @param {import("./api.js").PartitionAnswer[]} answers with info
 * @returns {PlanNode}
 */
export function planTree(plan, answers) {
  const root = plan.Plan;
  const notes = [root.SQL, plan.Residual && `residual ${plan.Residual}`, plan["Few Rows"], plan.With && `with ${plan.With}`];
  if (plan.Engine) notes.push(`engine ${plan.Engine.Name}: ${plan.Engine.Reason}`);
  const left = new Map(Map.groupBy(answers, (answer) => answer.store));
  const reads = (root.Plans ?? []).map((each) => accessNode(each, left));
  // A store that no description names is shown all the same: no partition is left out.
  const others = [...left].map(([store, found]) => readNode(store, "", found));
  return {
    title: root["Node Type"],
    text: reads.length && !root.SQL ? "" : (root.Description ?? ""),
    rows: plan["Rows Returned"] ?? null,
    ms: plan["Execution Time"] ?? null,
    notes: notes.filter(Boolean),
    children: [...reads, ...others],
  };
}

function accessNode({ Relation: relation, Description: text }, left) {
  const store = [...left.keys()].find((name) => new RegExp(`(^|\\s)${escaped(name)}(;|$)`).test(text));
  const found = store === undefined ? [] : left.get(store);
  left.delete(store);
  return readNode(relation ? `${relation}:` : "", text, found);
}

function readNode(title, text, answers) {
  const children = answers.map(partitionNode);
  const rows = answers.length ? answers.reduce((sum, each) => sum + each.rows, 0) : null;
  const times = children.map((each) => each.ms).filter((ms) => ms !== null);
  return { title, text, rows, ms: times.length ? times.reduce((sum, ms) => sum + ms, 0) : null, notes: [], children };
}

function partitionNode(answer) {
  const times = answer.info.map((line) => TIME.exec(line)).filter(Boolean);
  const isLate = answer.status !== "ok";
  return {
    title: `partition ${answer.partition}`,
    text: `on ${answer.node}, ${isLate ? `${answer.reason}: ${answer.message}` : `epoch ${answer.epoch}`}`,
    rows: answer.rows,
    ms: times.length ? times.reduce((sum, [, , ns]) => sum + Number(ns) / 1e6, 0) : null,
    notes: answer.info.map(shownInfo),
    isLate,
    children: [],
  };
}

function shownInfo(line) {
  const found = TIME.exec(line);
  return found ? `${found[1]}: ${span(Number(found[2]) / 1e6)}` : line;
}

function nodeView(node, most) {
  const meter = h("span", { class: "plan-meter", "aria-hidden": "true" }, h("span"));
  meter.firstChild.style.width = `${Math.min(100, (100 * (node.ms ?? 0)) / most)}%`;
  const line = h(
    "div",
    { class: `plan-line${node.isLate ? " late" : ""}` },
    h("span", { class: "plan-what" }, node.title ? h("strong", {}, node.title) : null, node.text ? h("code", {}, node.text) : null),
    h("span", { class: "plan-rows" }, node.rows === null ? "" : counted(node.rows, "row")),
    h("span", { class: "plan-time" }, node.ms === null ? "" : span(node.ms)),
    meter,
  );
  const notes = node.notes.map((note) => h("pre", {}, note));
  const children = node.children.length ? h("ul", {}, ...node.children.map((child) => nodeView(child, most))) : null;
  return h("li", {}, notes.length ? h("details", {}, h("summary", {}, line), ...notes) : line, children);
}

function escaped(name) {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** @param {import("./api.js").Result} result @returns {string} one line about a result */
export function summary(result) {
  const rows = result.isCut ? `the first ${count(result.rows.length)} rows` : counted(result.rows.length, "row");
  const asked = result.partitions.length ? ` · ${counted(result.partitions.length, "partition")}` : "";
  return result.isCut ? rows : `${rows} in ${span(result.elapsedMs)}${asked}`;
}
