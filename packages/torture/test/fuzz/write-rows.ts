// Writes to the store's own tables, past the library.
import type BetterSqlite3 from "better-sqlite3";
import { MongoClient } from "mongodb";
import { createRequire } from "node:module";
import pg from "pg";
import type { StoreName } from "../../src/stores/store.ts";

/** By the names that documents have; columns are the same with underscores. */
export type Fields = Readonly<Record<string, string | number>>;

export type WriteRow = (url: string, id: string, fields: Fields) => Promise<void>;

const toColumn = (field: string): string =>
  field.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

const require = createRequire(import.meta.url);
// As in the store's own file: one package for Node 20, the other for newer ones.
const Driver = require(
  Number(process.versions.node.split(".")[0]) >= 22 ? "better-sqlite3-node22" : "better-sqlite3",
) as typeof BetterSqlite3;

const sqlite: WriteRow = (url, id, fields) => {
  const db = new Driver(url);
  const sets = Object.keys(fields).map((field) => `${toColumn(field)} = ?`);
  const text = `UPDATE queuert_job SET ${sets.join(", ")} WHERE id = ?`;
  db.prepare(text).run(...Object.values(fields), id);
  db.close();
  return Promise.resolve();
};

const postgres: WriteRow = async (url, id, fields) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sets = Object.keys(fields).map((field, index) => `${toColumn(field)} = $${index + 2}`);
  const text = `UPDATE queuert.job SET ${sets.join(", ")} WHERE id = $1`;
  await client.query(text, [id, ...Object.values(fields)]);
  await client.end();
};

const mongodb: WriteRow = async (url, id, fields) => {
  const client = new MongoClient(url);
  const jobs = client.db().collection<{ _id: string }>("queuert_jobs");
  const { matchedCount } = await jobs.updateOne({ _id: id }, { $set: fields });
  await client.close();
  if (matchedCount !== 1) throw new Error(`There is no document ${id}`);
};

export const writeRow: Readonly<Record<StoreName, WriteRow>> = { sqlite, postgres, mongodb };
