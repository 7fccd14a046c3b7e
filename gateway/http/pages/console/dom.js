// Builds the document. Texts become text nodes and never markup; the page's policy holds us to that.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Returns an element.
 *
 * @param {string} name of the element
 * @param {Record<string, unknown>} [attributes] functions become listeners: `onclick` of clicks;
 *   true is an attribute without a value; false, null and undefined are left out
 * @param {...(Node | string | number | null | undefined)} children
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/**
 * Returns an element of SVG; the arguments are those of `h`.
 *
 * @param {string} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string)} children
 */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * Sets the text of an element if it is another one, so that nothing is drawn or read out again.
 *
 * @param {Element} element
 * @param {string | number} text
 */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/**
 * Returns a notice: what happened, and what to do next.
 *
 * @param {string} title
 * @param {{ text?: string, kind?: "empty" | "error", actions?: Node[] }} [more]
 */
export function notice(title, { text = "", kind = "empty", actions = [] } = {}) {
  return h(
    "div",
    { class: `notice ${kind}`, role: kind === "error" ? "alert" : null },
    h("p", { class: "notice-title" }, title),
    text ? h("p", {}, text) : null,
    actions.length ? h("div", { class: "actions" }, ...actions) : null,
  );
}

/**
 * Tells users of screen readers something.
 *
 * @param {string} text
 */
export function announce(text) {
  setText(document.getElementById("announcer"), text);
}
