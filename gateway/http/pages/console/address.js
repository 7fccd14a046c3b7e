// The address of a view. All of it is in the fragment, which browsers do not send to servers, so that
// statements are not in the logs of proxies.

/**
 * @typedef {{ view: string, sql: string, tab: string }} Address
 */

/** @returns {Address} of the page as it is now */
export function readAddress() {
  const [view, query = ""] = location.hash.replace(/^#/, "").split("?", 2);
  const fields = new URLSearchParams(query);
  return { view: view || "overview", sql: fields.get("sql") ?? "", tab: fields.get("tab") ?? "" };
}

/** @param {string} sql @param {string} [tab] the result's tab @returns {string} a link to a statement */
export function linkToQuery(sql, tab = "") {
  const fields = new URLSearchParams({ sql, ...(tab ? { tab } : {}) });
  return `#query?${fields}`;
}

/** Shows the address of a statement without a new entry in the history. @param {string} sql @param {string} tab */
export function showAddress(sql, tab) {
  history.replaceState(null, "", linkToQuery(sql, tab));
}
