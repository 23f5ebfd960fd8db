// The last statement of a transaction of postgres.js, and the COMMIT that is sent behind it without waiting for its answer.
// Nothing is stored if either of them fails, in the server or in the driver.
import { providedPostgres } from "@queuert/test-services/provided";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PgRow } from "../src/index.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import { lazyDatabaseUrl } from "./fixtures.ts";
import { type CommitFate, type CommitProxy, startCommitProxy } from "./proxies/commit-proxy.ts";

const url = lazyDatabaseUrl(providedPostgres);

describe.each([{ preparedStatements: true }, { preparedStatements: false }])("%o", (options) => {
  let proxy: CommitProxy;
  let sql: postgres.Sql;
  let other: postgres.Sql;
  let serialize: (value: unknown) => string;
  /** How many statements are on their way when COMMIT is sent. */
  let underWay: number[];

  beforeEach(async () => {
    proxy = await startCommitProxy(await url());
    underWay = [];
    proxy.decide = (unansweredCount) => {
      underWay.push(unansweredCount);
      return "passes";
    };
    serialize = String;
    const quiet = { fetch_types: false, onnotice: () => {} };
    const text = {
      to: 25,
      from: [25],
      serialize: (value: unknown) => serialize(value),
      parse: String,
    };
    // One connection, so that the next transaction meets the rest of the one before.
    sql = postgres(proxy.url, { ...quiet, max: 1, types: { text } });
    other = postgres(await url(), { ...quiet, max: 1 });
    await other`DROP TABLE IF EXISTS line`;
    await other`CREATE TABLE line (text text NOT NULL, id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)`;
  });
  afterEach(async () => {
    await sql.end({ timeout: 1 });
    await other.end({ timeout: 5 });
    await proxy.close();
  });

  const provider = () => createPostgresJsStateProvider(sql, options);
  const lines = async (): Promise<readonly string[]> =>
    (await other<{ text: string }[]>`SELECT text FROM line ORDER BY text`).map(({ text }) => text);
  const insert = { name: "n", sql: "INSERT INTO line VALUES ($1::text) RETURNING *" };
  type Send = (...params: string[]) => Promise<readonly PgRow[] | null | undefined>;

  /** A user's write, then the last statement. */
  const write = <T>(own: string, last: (send: Send) => Promise<T>, statement = insert) =>
    provider().runInTransaction(async (context) => {
      await context.sql.unsafe(`INSERT INTO line VALUES (${own})`);
      return last(async (...params) =>
        provider().executeSqlAndCommit?.({ ...statement, params }, context),
      );
    });
  /** The connection has seen the statement, and from now on sends it as a whole. */
  const warmUp = async (statement = insert): Promise<void> => {
    await write("'warm'", (send) => send("warm"), statement);
    await other`DELETE FROM line`;
    underWay = [];
  };

  it("sends COMMIT behind a statement that it has prepared, and otherwise after its answer", async () => {
    await warmUp();
    const rows = await write("'a'", (send) => send("b"));
    expect(rows).toMatchObject([{ text: "b" }]);
    expect(await lines()).toEqual(["a", "b"]);
    expect(underWay).toEqual([options.preparedStatements ? 1 : 0]);
  });

  it.each([
    ["a statement that fails", "1 / length($1::text)"],
    ["no such thing", "no_such($1::text)"],
  ])("%s: nothing is stored, even if the callback catches the error", async (_, expression) => {
    const statement = { name: "failing", sql: `INSERT INTO line SELECT (${expression})::text` };
    if (!expression.startsWith("no_such")) await warmUp(statement);
    await expect(write("'a'", (send) => send(""), statement)).rejects.toBeInstanceOf(Error);
    const swallowing = write("'a'", (send) => send("").catch(() => "swallowed"), statement);
    await expect(swallowing).rejects.toBeInstanceOf(Error);
    expect(await lines()).toEqual([]);
    await write("'a'", (send) => send("b"));
    expect(await lines()).toEqual(["a", "b"]);
  });

  it("a statement that the driver refuses: nothing is stored, even if the callback catches the error", async () => {
    await warmUp();
    const refusal = new Error("not to be written");
    serialize = () => {
      throw refusal;
    };
    await expect(write("'a'", (send) => send("b"))).rejects.toBe(refusal);
    const swallowing = write("'a'", (send) => send("b").catch(() => "swallowed"));
    await expect(swallowing).rejects.toBeInstanceOf(Error);
    serialize = String;
    expect(await lines()).toEqual([]);
    await write("'a'", (send) => send("b"));
    expect(await lines()).toEqual(["a", "b"]);
  });

  it("a statement that the driver repeats behind COMMIT is not stored without the rest", async () => {
    await warmUp();
    // The plan that it has prepared answers with other columns.
    await other`ALTER TABLE line ADD COLUMN more text`;
    const outcome = await write("'a'", (send) => send("b")).catch(() => "failed");
    expect(await lines()).toEqual(outcome === "failed" ? [] : ["a", "b"]);
    expect(outcome === "failed").toBe(options.preparedStatements);
    await write("'c'", (send) => send("d"));
    expect((await lines()).slice(-2)).toEqual(["c", "d"]);
  });

  it("a commit that fails: nothing is stored", async () => {
    await warmUp();
    const failing = write("'a', 1), ('a', 1", (send) => send("b"));
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    const swallowing = write("'a', 1), ('a', 1", (send) => send("b").catch(() => "swallowed"));
    await expect(swallowing).rejects.toBeInstanceOf(Error);
    expect(await lines()).toEqual([]);
  });

  it.each<[CommitFate, readonly string[]]>([
    ["never arrives", []],
    ["answer is lost", ["a", "b"]],
  ])("a connection cut at COMMIT (%s) is an error", async (fate, stored) => {
    await warmUp();
    proxy.decide = () => fate;
    await expect(write("'a'", (send) => send("b"))).rejects.toBeInstanceOf(Error);
    await expect.poll(lines).toEqual(stored);
  });
});
