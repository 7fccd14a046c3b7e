// The placeholders of a statement, and fields for their values. Values are kept in memory only.

import { h } from "./dom.js";

/** Strings, names and comments, in which nothing is a placeholder; casts; then the placeholders. */
const TOKEN =
  /\b[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$[A-Za-z_]*\$)[\s\S]*?\1|::|\$(?<number>[1-9]\d*)|(?<![\w)\]'"]):(?<name>[A-Za-z_]\w*)/g;
const NUMBERS_MAX = 100;

/** @param {string} sql @returns {string[]} the placeholders as they are written: all of `$1` to the highest, or `:name` */
export function placeholdersOf(sql) {
  const names = new Set();
  let highest = 0;
  for (const { groups } of sql.matchAll(TOKEN)) {
    if (groups.name) names.add(`:${groups.name}`);
    if (groups.number) highest = Math.max(highest, Number(groups.number));
  }
  return [...Array.from({ length: Math.min(highest, NUMBERS_MAX) }, (_, at) => `$${at + 1}`), ...names];
}

/** The fields, one for each placeholder. */
export class Parameters {
  /** @param {() => void} onEnter is called when the user has pressed Enter in one */
  constructor(onEnter) {
    /** What was entered, by placeholder; also of those that the text has no more. @type {Map<string, string>} */
    this.values = new Map();
    this.fields = h("div", { class: "parameter-fields" });
    this.element = h("fieldset", { class: "parameters", hidden: true }, h("legend", {}, "Parameters"), this.fields);
    this.element.addEventListener("keydown", (event) => { if (event.key === "Enter") onEnter(); });
    this.shown = "";
  }

  /** Shows fields for the placeholders of a text; those that stay keep what is in them. @param {string} text */
  showFor(text) {
    const names = placeholdersOf(text), shown = names.join(" ");
    if (shown === this.shown) return;
    this.shown = shown;
    this.element.hidden = !names.length;
    this.fields.replaceChildren(...names.map((name) => this.#field(name)));
  }

  #field(name) {
    const id = `parameter-${name.slice(1)}`;
    const input = h("input", { id, type: "text", value: this.values.get(name) ?? "", placeholder: "NULL", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    input.addEventListener("input", () => this.values.set(name, input.value));
    return h("div", { class: "parameter" }, h("label", { for: id }, h("code", {}, name)), input);
  }

  /**
   * Returns the values for a statement; an empty field is NULL.
   *
   * @param {string} sql
   * @returns {(?string)[] | Record<string, ?string> | undefined} undefined if it has no placeholders
   */
  of(sql) {
    const names = placeholdersOf(sql), value = (name) => this.values.get(name) || null;
    if (!names.length) return undefined;
    const named = names.filter((name) => name.startsWith(":"));
    return named.length ? Object.fromEntries(named.map((name) => [name.slice(1), value(name)])) : names.map(value);
  }
}
