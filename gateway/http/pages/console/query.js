// The view with the editor: runs statements, explains them, follows them, and copies them.

import { readAddress, showAddress } from "./address.js";
import { runStatement } from "./api.js";
import { readNames } from "./completion.js";
import { announce, h, notice } from "./dom.js";
import { Editor } from "./editor.js";
import { ApiError } from "./errors.js";
import { follow } from "./live.js";
import { EXPLAIN_LENGTH, explaining } from "./plan.js";
import { Parameters } from "./parameters.js";
import { Results } from "./results.js";
import { isLoggedIn } from "./session.js";
import { snippets } from "./snippets.js";
import { quoted } from "./store_card.js";

const ADDRESS_MS = 400;
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** The view. */
export class Query {
  /** @param {string} nonce that the page's policy allows for styles */
  constructor(nonce) {
    /** Where the gateway listens. @type {?import("./snippets.js").Addresses} */
    this.addresses = null;
    const place = h("div", { class: "editor" });
    this.editor = new Editor(place, { nonce, onRun: () => this.run(), onExplain: () => this.explain(), onChange: () => this.#changed() });
    this.parameters = new Parameters(() => this.run());
    this.results = new Results(() => this.#showAddress());
    this.tree = h("div", { class: "tree" }, notice("Reading the stores …"));
    this.runButton = this.#button("Run", "primary", () => (this.work ? this.#stop() : this.run()), `${IS_MAC ? "⌘" : "Ctrl"} ↵`);
    this.liveButton = this.#button("Live", "toggle", () => (this.isLive ? this.#stop() : this.goLive()));
    this.liveButton.setAttribute("aria-pressed", "false");
    this.element = h(
      "section",
      { class: "query", "aria-labelledby": "query-title" },
      h("h1", { id: "query-title", class: "unseen" }, "Query"),
      h("aside", { class: "card schema", "aria-label": "Stores and columns" }, h("details", { open: !matchMedia("(max-width: 60rem)").matches }, h("summary", {}, "Stores"), this.tree)),
      h("div", { class: "workbench" }, h("div", { class: "card" }, place, this.#toolbar(), this.parameters.element), this.results.element),
    );
  }

  #button(title, kind, action, key = "") {
    const button = h("button", { type: "button", class: kind }, h("span", {}, title), key ? h("kbd", { "aria-hidden": "true" }, key) : null);
    button.addEventListener("click", action);
    return button;
  }

  #toolbar() {
    this.copied = h("span", { class: "copied", role: "status" });
    this.copyNote = h("p", { class: "copy-note", role: "status", hidden: true });
    const menu = h("details", { class: "menu" }, h("summary", {}, "Copy as"), h("div", { class: "menu-items" }, ...this.#copyButtons()));
    menu.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#close(menu); });
    const closeFor = (element) => { if (element && !menu.contains(element)) menu.open = false; };
    menu.addEventListener("focusout", (event) => closeFor(event.relatedTarget));
    addEventListener("pointerdown", (event) => closeFor(event.target));
    this.menu = menu;
    return h("div", { class: "toolbar", role: "group", "aria-label": "Statement" }, this.runButton, this.#button("Explain", "", () => this.explain()), this.liveButton, menu, this.copied, this.copyNote);
  }

  #copyButtons() {
    return ["Link", "curl", "psql", "Python"].map((name) => this.#button(name, "item", () => this.#copy(name)));
  }

  #close(menu) {
    menu.open = false;
    menu.firstChild.focus();
  }

  async #copy(name) {
    const { sql } = this.editor.statement();
    this.#showAddress();
    const snippet = snippets(isLoggedIn(), this.addresses).find((each) => each.name === name);
    const text = snippet.make(sql.trim());
    this.#close(this.menu);
    this.#showCopyNote([snippet.note, this.parameters.of(sql) && "The values of the parameters are not copied."].filter(Boolean).join(" "));
    try {
      await navigator.clipboard.writeText(text);
      this.copied.textContent = `${name} copied`;
    } catch {
      // Without TLS a page may not write to the clipboard; the text can be copied by hand.
      this.results.notes.replaceChildren(h("pre", { class: "snippet", tabindex: "0" }, text));
      this.copied.textContent = "shown below";
    }
    setTimeout(() => { this.copied.textContent = ""; }, 2_500);
  }

  #showCopyNote(text = "") {
    this.copyNote.textContent = text;
    this.copyNote.hidden = !text;
  }

  /** Reads the names, and the statement of the address. @param {AbortSignal} signal ends the view */
  async show(signal) {
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    const { sql, tab } = readAddress();
    if (sql && sql !== this.editor.text) {
      this.editor.text = sql;
      this.results.clear();
    }
    if (tab) this.results.tabs.choose(tab);
    this.editor.view.focus();
    try {
      await readNames((names) => this.#know(names), signal);
    } catch (error) {
      // Without the catalog, system relations are not completed; the stores are known all the same.
      if (!signal.aborted && !this.shown) this.tree.replaceChildren(notice(error.message, { text: error.hint, kind: "error" }));
    }
  }

  #know(names) {
    this.editor.complete(names);
    this.addresses = names.addresses;
    const { stores } = names, now = JSON.stringify(stores.map(({ name, columns }) => [name, columns]));
    if (now !== this.shown) this.#showTree(stores);
    this.shown = now;
    if (!this.editor.text && stores.length) this.editor.text = `SELECT * FROM ${quoted(stores[0].name)} LIMIT 100`;
  }

  #showTree(stores) {
    if (!stores.length) return this.tree.replaceChildren(notice("No stores yet", { text: "SHOW ALL lists the settings." }));
    const column = (store, { name, type }) => {
      const isKey = store.key.some((each) => each.name === name);
      const button = h("button", { type: "button", class: "column", title: `Insert ${name}` }, h("code", {}, name), h("span", { class: "type" }, isKey ? `${type} · key` : type));
      button.addEventListener("click", () => this.editor.insert(quoted(name)));
      return h("li", {}, button);
    };
    this.tree.replaceChildren(
      ...stores.map((store) => h("details", { open: stores.length <= 3 }, h("summary", {}, h("code", {}, store.name)), h("ul", {}, ...store.columns.map((each) => column(store, each))))),
    );
  }

  /** Runs the statement. */
  run() {
    this.#showRows();
    return this.#work(({ sql, params }, signal) => runStatement(sql, { signal, params }), (result) => this.results.show(result));
  }

  /** Runs the statement to measure it. */
  explain() {
    return this.#work(({ sql, params }, signal) => runStatement(explaining(sql), { signal, params, info: true }), (result) => this.results.showPlan(result), EXPLAIN_LENGTH);
  }

  /** Follows the statement until it is stopped. */
  goLive() {
    this.#showRows();
    const asked = this.#begin("following …");
    this.isLive = true;
    this.liveButton.setAttribute("aria-pressed", "true");
    const listener = {
      onResult: (result, state) => this.results.showLive(result, state),
      onAlive: (how) => this.results.alive(how),
      onTrouble: (error) => this.results.reconnecting(error),
    };
    return this.#until(asked, () => follow(asked, listener, asked.signal));
  }

  #showRows() {
    if (this.results.tabs.chosen === "plan") this.results.tabs.choose("table");
  }

  #work(work, onResult, added = 0) {
    const asked = this.#begin("running …");
    const show = async () => {
      const result = await work(asked, asked.signal);
      if (!asked.signal.aborted) onResult(result);
    };
    return this.#until(asked, show, added);
  }

  async #until(asked, work, added = 0) {
    try {
      await work();
    } catch (error) {
      if (!asked.signal.aborted) this.#fail(error, asked, added);
    } finally {
      this.#end(asked);
    }
  }

  #begin(text) {
    this.#stop();
    const controller = new AbortController();
    this.work = controller;
    this.runButton.firstChild.textContent = "Stop";
    this.editor.clearMarks();
    this.results.working(text);
    this.#showCopyNote();
    this.#showAddress();
    const { sql, from } = this.editor.statement();
    return { sql, from, params: this.parameters.of(sql), signal: controller.signal };
  }

  #stop() {
    if (!this.work) return;
    this.work.abort();
    this.results.working("stopped");
    this.#end({ signal: this.work.signal });
  }

  #end({ signal }) {
    if (this.work?.signal !== signal) return;
    this.work = null;
    this.isLive = false;
    this.results.element.removeAttribute("aria-busy");
    this.liveButton.setAttribute("aria-pressed", "false");
    this.runButton.firstChild.textContent = "Run";
  }

  #fail(error, { sql, from }, added) {
    const shown = error instanceof ApiError ? error : new ApiError({ message: String(error.message ?? error) });
    const position = shown.position === null ? 0 : shown.position - added;
    const place = position > 0 ? this.editor.markError(from, sql, position, shown.message) : "";
    this.results.showError(shown, place);
  }

  #changed() {
    this.parameters.showFor(this.editor.text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#showAddress(), ADDRESS_MS);
  }

  #showAddress() {
    if (readAddress().view !== "query") return;
    const tab = this.results.tabs.chosen;
    showAddress(this.editor.text, tab === "table" ? "" : tab);
  }
}
