// A statement as a command or a program. Credentials are never a part of it.

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const PG_PORT = 7432;
const EVERY_ADDRESS = new Set(["0.0.0.0", "::", "*"]);
const LOOPBACK = /^(localhost|127\.[\d.]+|::1)$/;

/**
 * @typedef {{ name: string, make: (sql: string) => string, note?: string }} Snippet
 * @typedef {{ http: ?string, postgres: ?string }} Addresses where the gateway itself listens
 */

/**
 * @param {boolean} isLoggedIn whether this gateway asks for credentials
 * @param {?Addresses} addresses null before they are known
 * @returns {Snippet[]}
 */
export function snippets(isLoggedIn, addresses) {
  const base = new URL("v1/query", document.baseURI).href;
  const { host, port, note } = wireAddress(addresses);
  return [
    { name: "Link", make: () => location.href },
    { name: "curl", make: (sql) => curl(base, sql, isLoggedIn) },
    { name: "psql", make: (sql) => `psql -h ${host} -p ${port}${isLoggedIn ? ' -U "$STATEGATE_USER"' : ""} stategate -c ${shell(sql)}`, note },
    { name: "Python", make: (sql) => python(base, sql, isLoggedIn) },
  ];
}

/** @param {?Addresses} addresses @returns {{ host: string, port: number, note: string }} as the reader of this page may reach the wire */
function wireAddress(addresses) {
  const seen = bare(location.hostname);
  if (!addresses) return { host: seen, port: PG_PORT, note: `The gateway has not said where its Postgres wire listens. Port ${PG_PORT} is the default one.` };
  if (!addresses.postgres) return { host: seen, port: PG_PORT, note: "The Postgres wire of this gateway is off: the setting “pg” turns it on." };
  const port = portOf(addresses.postgres), own = bare(addresses.postgres.slice(0, -`:${port}`.length));
  if (addresses.http && portOf(addresses.http) !== portOf(location.host)) {
    return { host: seen, port: PG_PORT, note: `This page came through a proxy or a mapped port, so the Postgres wire may have another address than ${seen}, port ${PG_PORT}. The gateway itself listens at port ${port}.` };
  }
  return { host: EVERY_ADDRESS.has(own) || LOOPBACK.test(own) ? seen : own, port, note: "" };
}

const bare = (host) => host.replace(/^\[|\]$/g, "");

/** @param {string} address HOST or HOST:PORT */
function portOf(address) {
  return Number(/:(\d+)$/.exec(address)?.[1] ?? (location.protocol === "https:" ? 443 : 80));
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
