// node-pg (with cursors) and postgres.js. Prints a line of JSON per step, as `steps.py` does.
// `--answer CLIENT` and `--login CLIENT` make it do what `asking.py` says instead.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");

const host = process.env.PGHOST;
const port = Number(process.env.PGPORT);
const user = process.env.PGUSER;
const database = process.env.PGDATABASE;

async function withPg(body) {
  const { Client } = require("pg");
  const client = new Client({ host, port, user, database });
  await client.connect();
  try {
    await body(client);
  } finally {
    await client.end();
  }
}

async function withPostgresJs(body) {
  const sql = require("postgres")({ host, port, user, database, max: 2, onnotice: () => {} });
  try {
    await body(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const steps = {
  async pg_reads() {
    await withPg(async (client) => {
      const found = await client.query("SELECT word FROM numbers WHERE id = $1", [8]);
      assert.deepStrictEqual(found.rows, [{ word: "word 1" }]);
      const row = (await client.query("SELECT * FROM users WHERE name = 'ada'")).rows[0];
      assert.strictEqual(row.active, true);
      assert.strictEqual(row.age, 36);
      assert.strictEqual(row.visits, "9000000000");
      assert.strictEqual(row.balance, "1234.50");
      assert.deepStrictEqual(row.token, Buffer.from([0, 1, 254, 255]));
      assert.strictEqual(row.seen.toISOString(), "2024-02-29T12:00:00.000Z");
      assert.deepStrictEqual(row.profile, { langs: ["en", "fr"], admin: true });
    });
  },
  async pg_reads_arrays_and_names_columns() {
    await withPg(async (client) => {
      const tags = await client.query("SELECT tags FROM prices WHERE valid_to IS NULL ORDER BY 1");
      assert.deepStrictEqual(tags.rows.map((row) => row.tags), [[], ["blue", null]]);
      const counted = await client.query("SELECT count(*), max(id) FROM numbers");
      assert.deepStrictEqual(counted.rows, [{ count: "20000", max: "19999" }]);
    });
  },
  async pg_prepares() {
    await withPg(async (client) => {
      for (let id = 1; id < 10; id += 1) {
        const text = "SELECT squared FROM numbers WHERE id = $1";
        const found = await client.query({ name: "square", text, values: [id] });
        assert.strictEqual(found.rows[0].squared, String(id * id));
      }
    });
  },
  async pg_reads_by_a_cursor() {
    const Cursor = require("pg-cursor");
    await withPg(async (client) => {
      const cursor = client.query(new Cursor("SELECT id FROM numbers"));
      let count = 0;
      for (let rows = await cursor.read(3000); rows.length; rows = await cursor.read(3000)) {
        count += rows.length;
      }
      await cursor.close();
      assert.strictEqual(count, 20000);
    });
  },
  async pg_sees_errors() {
    await withPg(async (client) => {
      await assert.rejects(client.query("SELECT * FROM nothing"), { code: "42P01" });
      await assert.rejects(client.query("DELETE FROM users"), { code: "25006" });
      assert.deepStrictEqual((await client.query("SELECT 1 AS one")).rows, [{ one: 1 }]);
    });
  },
  async pg_runs_several_statements() {
    await withPg(async (client) => {
      const both = await client.query("SELECT 1 AS a; SELECT 2 AS b");
      assert.deepStrictEqual(both.map((each) => each.rows), [[{ a: 1 }], [{ b: 2 }]]);
    });
  },
  async postgres_js_reads() {
    await withPostgresJs(async (sql) => {
      const found = await sql`SELECT word, squared FROM numbers WHERE id = ${8}`;
      assert.deepStrictEqual([...found], [{ word: "word 1", squared: "64" }]);
      const [row] = await sql`SELECT * FROM users WHERE name = ${"ada"}`;
      assert.strictEqual(row.seen.toISOString(), "2024-02-29T12:00:00.000Z");
      const [{ tags }] = await sql`
        SELECT tags FROM prices WHERE item = ${"ink"} AND valid_to IS NULL`;
      assert.deepStrictEqual(tags, ["blue", "NULL"]); // as it reads PostgreSQL's arrays, too
    });
  },
  async postgres_js_binds_lists_and_dates() {
    await withPostgresJs(async (sql) => {
      const names = ["ada", "bob"];
      const [listed] = await sql`SELECT count(*) FROM orders WHERE customer IN ${sql(names)}`;
      assert.strictEqual(listed.count, "8");
      const noon = new Date("2024-02-29T12:00:00Z");
      const [seen] = await sql`SELECT count(*) FROM users WHERE seen = ${noon}`;
      assert.strictEqual(seen.count, "1");
    });
  },
  async postgres_js_cursors_and_transactions() {
    await withPostgresJs(async (sql) => {
      let count = 0;
      await sql`SELECT id FROM numbers`.cursor(4000, (rows) => {
        count += rows.length;
      });
      assert.strictEqual(count, 20000);
      const total = await sql.begin("read only", async (inner) => {
        const [row] = await inner`SELECT count(*)::int AS n FROM users`;
        return row.n;
      });
      assert.strictEqual(total, 5);
    });
  },
  async postgres_js_copies_out() {
    await withPostgresJs(async (sql) => {
      const readable = await sql`COPY (SELECT id FROM numbers) TO STDOUT`.readable();
      let size = 0;
      for await (const chunk of readable) {
        size += String(chunk).split("\n").length - 1;
      }
      assert.strictEqual(size, 20000);
    });
  },
  async postgres_js_sees_errors() {
    await withPostgresJs(async (sql) => {
      await assert.rejects(async () => sql`SELECT nothing FROM users`, { code: "42703" });
    });
  },
};

// How each client asks: SQL and parameters to rows, each a list of values.
const asks = {
  "node-pg": async (sql, values) => {
    let rows;
    await withPg(async (client) => {
      ({ rows } = await client.query({ text: sql, values, rowMode: "array" }));
    });
    return rows;
  },
  "postgres.js": async (sql, values) => {
    let rows;
    await withPostgresJs(async (client) => {
      rows = await client.unsafe(sql, values).values();
    });
    return rows;
  },
};

function tls() {
  return { ca: fs.readFileSync(process.env.PGSSLROOTCERT, "utf8"), rejectUnauthorized: true };
}

const LOGIN_SQL = "SELECT CAST(current_user AS text) AS name, 7 AS n";

const logins = {
  "node-pg": async (password) => {
    const { Client } = require("pg");
    const place = { host, port, user, database, password, ssl: tls() };
    const client = new Client({ ...place, enableChannelBinding: true });
    await client.connect();
    const { rows } = await client.query({ text: LOGIN_SQL, rowMode: "array" });
    await client.end();
    return rows;
  },
  "postgres.js": async (password) => {
    const place = { host, port, user, database, password, ssl: tls() };
    const sql = require("postgres")({ ...place, max: 1, connection: {} });
    try {
      return await sql.unsafe(LOGIN_SQL).values();
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
};

async function report(name, work) {
  const answered = { name, rows: null, error: null, sqlstate: null };
  try {
    answered.rows = (await work()).map((row) => row.map(encoded));
  } catch (caught) {
    answered.error = caught.stack || String(caught);
    answered.sqlstate = caught.code || null;
  }
  console.log(JSON.stringify(answered));
}

function encoded(value) {
  return value instanceof Date ? { instant: value.toISOString() } : value;
}

function decoded(value) {
  return value !== null && typeof value === "object" ? new Date(value.instant) : value;
}

async function answer(client) {
  for (const { name, sql, parameters } of JSON.parse(fs.readFileSync(0, "utf8"))) {
    await report(name, () => asks[client](sql, parameters.map(decoded)));
  }
}

async function logIn(client) {
  for (const password of JSON.parse(fs.readFileSync(0, "utf8"))) {
    await report(password, () => logins[client](password));
  }
}

async function main() {
  const [mode, client] = process.argv.slice(2);
  if (mode === "--answer" || mode === "--login") {
    await (mode === "--answer" ? answer : logIn)(client);
    return;
  }
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(steps)) {
    let error = null;
    try {
      await steps[name]();
    } catch (caught) {
      error = caught.stack || String(caught);
    }
    console.log(JSON.stringify({ step: name, error }));
  }
}

main();
