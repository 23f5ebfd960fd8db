// A transaction of postgres.js whose connection is lost. Left to itself, the driver writes to a socket that is gone, which
// ends the process. Or it keeps a statement for the next user of the connection, which then waits forever.
import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { startTcpProxy, type TcpProxy } from "@queuert/test-services";
import { providedPostgres } from "@queuert/test-services/provided";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createPostgresJsStateProvider,
  type PostgresJsTxContext,
} from "../src/providers/postgres-js.ts";
import { lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);

type Lose = (context: PostgresJsTxContext) => Promise<unknown>;

describe.each(["terminated by the server", "reset"])("a connection that is %s", (how) => {
  let proxy: TcpProxy;
  let sql: postgres.Sql;
  let other: postgres.Sql;
  let closed: EventTarget;

  beforeEach(async () => {
    proxy = await startTcpProxy(await url());
    closed = new EventTarget();
    const quiet = { fetch_types: false, onnotice: () => {} };
    // One connection, so that the next transaction meets the rest of the one before.
    const onclose = (): void => void closed.dispatchEvent(new Event("close"));
    sql = postgres(proxy.url, { ...quiet, max: 1, backoff: () => 0, onclose });
    other = postgres(await url(), { ...quiet, max: 1 });
  });
  afterEach(async () => {
    await sql.end({ timeout: 5 });
    await other.end({ timeout: 5 });
    await proxy.close();
  });

  const provider = () => createPostgresJsStateProvider(sql);
  const begin = <T>(callback: (context: PostgresJsTxContext) => Promise<T>) =>
    provider().runInTransaction(callback);
  const select = { name: "one", sql: "SELECT 1 AS one", params: [] };

  const lose = async (pid: number): Promise<void> => {
    if (how === "reset") proxy.cutAll();
    else await other`SELECT pg_terminate_backend(${pid})`;
  };
  const pidOf = async ({ sql: tx }: PostgresJsTxContext): Promise<number> => {
    const [row] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    return row?.pid ?? 0;
  };

  const underWay: Lose = async (context) => {
    const pid = await pidOf(context);
    const waiting = context.sql`SELECT pg_sleep(60)`.execute();
    await expect
      .poll(() => other`SELECT FROM pg_stat_activity WHERE pid = ${pid} AND state = 'active'`)
      .toHaveLength(1);
    const [answer] = await Promise.allSettled([waiting, lose(pid)]);
    if (answer.status === "rejected") throw answer.reason;
    return "not lost";
  };
  /** Until the driver knows: everything sent later finds the connection gone. */
  const idle = async (context: PostgresJsTxContext): Promise<void> => {
    const pid = await pidOf(context);
    const known = once(closed, "close");
    await lose(pid);
    await known;
    await turn();
  };
  const ways: readonly (readonly [string, Lose])[] = [
    ["while a statement is under way", underWay],
    [
      "between two statements of the user's",
      async (context) => {
        await idle(context);
        return context.sql`SELECT 1`;
      },
    ],
    [
      "between two of ours",
      async (context) => {
        await idle(context);
        return provider().executeSql(select, context);
      },
    ],
    [
      "before a completion",
      async (context) => {
        await idle(context);
        return provider().executeSqlAndCommit?.(select, context);
      },
    ],
    ["before its end", idle],
  ];

  it.each(ways)("%s: the transaction fails, and the next ones go on", async (_, way) => {
    for (let round = 0; round < 3; round++) {
      let ended: PostgresJsTxContext | undefined;
      const lost = begin(async (context) => {
        ended = context;
        return way(context);
      });
      await expect(lost).rejects.toBeInstanceOf(Error);
      expect(await provider().isInTransaction(ended as PostgresJsTxContext)).toBe(false);
      // The first may still meet the connection that is being closed.
      const another = () => begin((context) => provider().executeSql(select, context));
      const rows = await another().catch(another);
      expect(rows).toMatchObject([{ one: 1 }]);
    }
  });
});

describe("a transaction that has ended", () => {
  it.each(["committed", "rolled back"])("%s: its statements go nowhere", async (how) => {
    const sql = postgres(await url(), { max: 1, fetch_types: false });
    try {
      const provider = createPostgresJsStateProvider(sql);
      let kept: PostgresJsTxContext | undefined;
      const run = provider.runInTransaction(async (context) => {
        kept = context;
        await context.sql`SELECT 1`;
        if (how === "rolled back") throw new Error("on purpose");
      });
      await run.catch(() => undefined);
      const late = async (tx = kept?.sql): Promise<unknown> => tx && (await tx`SELECT 1`);
      await expect(late()).rejects.toBeInstanceOf(Error);
    } finally {
      await sql.end();
    }
  });
});
