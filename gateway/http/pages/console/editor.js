// The SQL editor: CodeMirror with PostgreSQL's dialect.

import {
  autocompletion, acceptCompletion, bracketMatching, closeBrackets, closeBracketsKeymap, Compartment,
  completionKeymap, defaultKeymap, drawSelection, EditorState, EditorView, HighlightStyle, history,
  historyKeymap, keymap, lineNumbers, placeholder, PostgreSQL, Prec, setDiagnostics, sql,
  syntaxHighlighting, syntaxTree, tags,
} from "./vendor/codemirror.js";

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.lineComment, tags.blockComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--code-name)" },
]);

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--panel)", color: "var(--text)", fontSize: "14px" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "10px 0", caretColor: "var(--text)", minHeight: "7.5em" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", maxHeight: "42vh" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none", paddingLeft: "6px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-placeholder": { color: "var(--muted)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", color: "inherit" },
  // A wavy line of the text, where CodeMirror would load an image from a data: address.
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--late) 1.5px",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "3px",
  },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line)", borderRadius: "6px", color: "var(--text)", boxShadow: "var(--shadow)" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--late)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.85", fontStyle: "normal", marginLeft: "1.5em" },
});

/** The editor of one statement or several. */
export class Editor {
  /**
   * @param {HTMLElement} parent
   * @param {{ nonce: string, onRun: () => void, onExplain: () => void, onChange: () => void }} options
   *   `nonce`: the one that the page's policy allows for styles
   */
  constructor(parent, { nonce, onRun, onExplain, onChange }) {
    this.language = new Compartment();
    const does = (action) => () => { action(); return true; };
    const keys = Prec.highest(keymap.of([
      { key: "Mod-Enter", run: does(onRun) },
      { key: "Mod-Shift-Enter", run: does(onExplain) },
      { key: "Tab", run: acceptCompletion },
    ]));
    this.view = new EditorView({
      parent,
      extensions: [
        EditorView.cspNonce.of(nonce), keys, lineNumbers(), history(), drawSelection(), bracketMatching(),
        closeBrackets(), autocompletion({ icons: false, interactionDelay: 0 }), syntaxHighlighting(COLOURS), THEME,
        EditorView.lineWrapping, EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({ "aria-label": "SQL statement", spellcheck: "false", autocapitalize: "off" }),
        EditorView.domEventHandlers({ beforeinput: typeOver }),
        placeholder("SELECT … FROM … WHERE …"),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        this.language.of(sql({ dialect: PostgreSQL })),
        EditorView.updateListener.of((update) => { if (update.docChanged) onChange(); }),
      ],
    });
  }

  /** All of the text. */
  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** @returns {{ sql: string, from: number }} the selection, or the statement at the cursor, and where it begins */
  statement() {
    const { state } = this.view, { from, to, head, empty } = state.selection.main;
    if (!empty) return { sql: state.sliceDoc(from, to), from };
    const found = [];
    for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
      if (node.name === "Statement") found.push(node);
    }
    if (found.length < 2) return { sql: this.text, from: 0 };
    const here = found.findLast((node) => node.from <= head) ?? found[0];
    return { sql: state.sliceDoc(here.from, here.to), from: here.from };
  }

  /** Puts a text where the cursor is. @param {string} text */
  insert(text) {
    this.view.dispatch(this.view.state.replaceSelection(text));
    this.view.focus();
  }

  /** @param {import("./completion.js").Names} names what can be completed */
  complete(names) {
    const language = sql({ dialect: PostgreSQL, ...names.language }), { source } = names;
    this.view.dispatch({ effects: this.language.reconfigure([language, PostgreSQL.language.data.of({ autocomplete: source })]) });
  }

  /**
   * Marks the word at which an error is.
   *
   * @param {number} from where the statement begins in the text
   * @param {string} statement
   * @param {number} position the character of the statement, from 1
   * @param {string} message
   * @returns {string} the place, as "line 2, column 5"
   */
  markError(from, statement, position, message) {
    const { state } = this.view;
    const start = Math.min(from + unitsBefore(statement, position), state.doc.length);
    const line = state.doc.lineAt(start);
    const word = /^(?:"(?:[^"]|"")*"?|'(?:[^']|'')*'?|[\p{L}\p{N}_$.]+|\S)/u.exec(line.text.slice(start - line.from));
    const to = Math.min(start + (word ? word[0].length : 1), state.doc.length);
    // At the end of the text there is no word, so its last character is marked.
    const marked = { from: to > start ? start : Math.max(0, start - 1), to, severity: "error", message };
    this.view.dispatch(setDiagnostics(state, [marked]));
    return `line ${line.number}, column ${start - line.from + 1}`;
  }

  /** Removes all marks. */
  clearMarks() {
    this.view.dispatch(setDiagnostics(this.view.state, []));
  }
}

/**
 * Types over a selection. The browser would give the new text the look of the one that it replaces, by
 * a style that the page's policy refuses.
 */
function typeOver(event, view) {
  const { from, to, empty } = view.state.selection.main, text = event.data;
  if (event.inputType !== "insertText" || !text || empty || view.composing) return false;
  const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert));
  if (!isHandled) view.dispatch(insert());
  event.preventDefault();
  return true;
}

/** A character outside of the basic plane takes two units of a string. */
function unitsBefore(text, position) {
  return [...text].slice(0, position - 1).join("").length;
}
