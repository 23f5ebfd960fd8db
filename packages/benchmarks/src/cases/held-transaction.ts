// Another transaction stays open while jobs are drained, so that dead rows cannot be cleaned away.
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import pg from "pg";
import type { Store, Target } from "../participants/participant.ts";
import { openFile } from "../participants/sqlite-file.ts";

type Release = () => Promise<unknown>;

const holdPostgres = async (url: string): Promise<Release> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  // A snapshot is taken by the first statement, and an id by the first write.
  await client.query("SELECT txid_current()");
  await client.query("SELECT count(*) FROM pg_class");
  return () => client.end();
};

const holdSqlite = async (filename: string): Promise<Release> => {
  const db = openFile(filename);
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM sqlite_schema").get();
  return async () => db.close();
};

const holdMongodb = async (url: string): Promise<Release> => {
  const client = new MongoClient(url);
  const session = client.startSession();
  const database = client.db();
  await database.collection("held").insertOne({});
  await sleep(10);
  session.startTransaction({ readConcern: { level: "snapshot" } });
  await database.collection("held").findOne({}, { session });
  return async () => {
    // The server ends transactions that are open for long by itself.
    await session.abortTransaction().catch(() => undefined); // It has been over for long.
    await session.endSession();
    await client.close();
  };
};

/** Opens a transaction that reads, and answers how to end it. */
export const holdTransaction = async (store: Store, { url }: Target): Promise<Release> => {
  if (store === "postgres") return holdPostgres(url);
  if (store === "sqlite") return holdSqlite(url);
  if (store === "mongodb") return holdMongodb(url);
  throw new Error(`There are no transactions to hold open in ${store}`);
};
