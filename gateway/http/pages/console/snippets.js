// A statement as a command or a program. Credentials are never a part of it.

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const PG_PORT = 7432;

/** @typedef {{ name: string, make: (sql: string) => string }} Snippet */

/** @param {boolean} isLoggedIn whether this gateway asks for credentials @returns {Snippet[]} */
export function snippets(isLoggedIn) {
  const base = new URL("v1/query", document.baseURI).href;
  const host = location.hostname.replace(/^\[|\]$/g, "");
  return [
    { name: "Link", make: () => location.href },
    { name: "curl", make: (sql) => curl(base, sql, isLoggedIn) },
    { name: "psql", make: (sql) => `psql -h ${host} -p ${PG_PORT}${isLoggedIn ? ' -U "$STATEGATE_USER"' : ""} stategate -c ${shell(sql)}` },
    { name: "Python", make: (sql) => python(base, sql, isLoggedIn) },
  ];
}

function curl(url, sql, isLoggedIn) {
  const token = isLoggedIn ? ' -H "Authorization: Bearer $STATEGATE_TOKEN"' : "";
  return `curl -s ${shell(url)}${token} -H 'Content-Type: application/json' \\\n  -d ${shell(JSON.stringify({ sql }))}`;
}

function python(url, sql, isLoggedIn) {
  const lines = ["import json", isLoggedIn ? "import os" : "", "import urllib.request", ""];
  lines.push(
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    `    data=json.dumps({"sql": ${JSON.stringify(sql)}}).encode(),`,
    `    headers={"Content-Type": "application/json"${isLoggedIn ? ', "Authorization": "Bearer " + os.environ["STATEGATE_TOKEN"]' : ""}},`,
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    answer = json.load(response)",
    'for row in answer["rows"]:',
    "    print(row)",
  );
  return lines.filter((line, at) => line || at > 2).join("\n");
}
