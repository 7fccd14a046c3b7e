// The credentials of this tab. They are kept in its sessionStorage only, which ends with the tab,
// and sent in the header Authorization only; the browser's own login window never opens.

import { h } from "./dom.js";

const KEY = "stategate.authorization";

/** @type {Promise<void> | null} the login that is under way */
let asking = null;

/** @returns {Record<string, string>} the headers that name the user; none before a login */
export function authorization() {
  const held = sessionStorage.getItem(KEY);
  return held ? { Authorization: held } : {};
}

/** @returns {boolean} whether a user has logged in here */
export function isLoggedIn() {
  return sessionStorage.getItem(KEY) !== null;
}

/** Forgets the credentials, and all that was read with them. */
export function logOut() {
  sessionStorage.removeItem(KEY);
  location.reload();
}

/**
 * Asks for credentials, once however many requests want them.
 *
 * @param {string} used the header that was refused; "" if none was sent
 * @param {string} reason why, as the gateway says it
 */
export function askForCredentials(used, reason) {
  if ((authorization().Authorization ?? "") !== used) return Promise.resolve();
  asking ??= ask(used ? reason : "").finally(() => {
    asking = null;
  });
  return asking;
}

/** @param {string} value */
function base64(value) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(value)));
}

/** @param {string} reason @returns {Promise<void>} when the user has given credentials */
function ask(reason) {
  const isPrivate = window.isSecureContext;
  const user = field("user", "User", "text", "username");
  const password = field("password", "Password", "password", "current-password");
  const token = field("token", "Bearer token", "password", "off");
  const message = h("p", { class: "login-error", role: "alert" }, reason);
  const form = h(
    "form",
    { class: "login", "aria-labelledby": "login-title" },
    h("h2", { id: "login-title" }, "Log in to this gateway"),
    isPrivate ? null : h("p", { class: "login-error" }, "This page came without TLS, so a login would be readable on the network. Open it by https."),
    message,
    user.row,
    password.row,
    h("p", { class: "or" }, "or"),
    token.row,
    h("button", { class: "primary", type: "submit", disabled: !isPrivate }, "Log in"),
    h("p", { class: "hint" }, "Kept in this tab until it is closed."),
  );
  const dialog = h("dialog", { class: "login-dialog" }, form);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const bearer = token.input.value.trim();
      if (!/^[!-~]*$/.test(bearer)) {
        message.textContent = "A token has no spaces and no letters beyond ASCII.";
        return;
      }
      if (!bearer && !user.input.value) {
        message.textContent = "Enter a user and a password, or a token.";
        return;
      }
      const basic = `Basic ${base64(`${user.input.value}:${password.input.value}`)}`;
      sessionStorage.setItem(KEY, bearer ? `Bearer ${bearer}` : basic);
      dialog.close();
      dialog.remove();
      resolve();
    });
  });
}

function field(name, label, type, autocomplete) {
  const id = `login-${name}`;
  const input = h("input", { id, type, autocomplete, autocapitalize: "off", spellcheck: "false" });
  return { input, row: h("div", { class: "field" }, h("label", { for: id }, label), input) };
}
