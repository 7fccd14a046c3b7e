// Begins: the views by their address, who is logged in, and the state of the gateway.

import { readAddress } from "./address.js";
import { rowsOf } from "./api.js";
import { h, setText } from "./dom.js";
import { Nodes } from "./nodes.js";
import { Overview } from "./overview.js";
import { Query } from "./query.js";
import { isLoggedIn, logOut } from "./session.js";
import { Statements } from "./statements.js";

const place = document.getElementById("view");
const status = document.getElementById("status");
const { nonce } = document.getElementById("styles");

/** Each view is made when it is first shown, and keeps its state. */
const MAKERS = {
  overview: () => new Overview(showStatus),
  query: () => new Query(nonce),
  statements: () => new Statements(),
  nodes: () => new Nodes(),
};
const views = new Map();
let shown = "";
let shownUntil = new AbortController();

function showStatus({ kind, text }) {
  status.className = `badge ${kind}`;
  setText(status, text);
}

function show() {
  const address = readAddress();
  const name = address.view in MAKERS ? address.view : "overview";
  if (name === shown && name !== "query") return;
  shownUntil.abort();
  shownUntil = new AbortController();
  if (!views.has(name)) views.set(name, MAKERS[name]());
  const view = views.get(name);
  if (name !== shown) place.replaceChildren(view.element);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name !== "overview") showStatus({ kind: "", text: "" }); // nothing reads it there
  document.title = `${name[0].toUpperCase()}${name.slice(1)} · Stategate`;
  shown = name;
  view.show(shownUntil.signal);
}

async function showUser() {
  const [row] = await rowsOf("SELECT current_user AS name");
  const out = h("button", { type: "button", class: "quiet-button" }, "Log out");
  out.addEventListener("click", logOut);
  const children = isLoggedIn() ? [h("span", {}, row.name), out] : [];
  document.getElementById("user").replaceChildren(...children);
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment is the address of a view
  place.focus();
});
addEventListener("hashchange", show);
show();
showUser().catch(() => {}); // the view says what is wrong
