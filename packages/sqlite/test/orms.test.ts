// An ORM that takes a connection is given the client of the transaction: its rows and the jobs are committed together.
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Kysely, type Generated, SqliteDialect } from "kysely";
import { describe, expect, it } from "vitest";
import { aNewJob, openStore } from "./open-store.ts";

const createUser = "CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT NOT NULL)";
const rollBack = new Error("rolled back on purpose");

const openWithUsers = async () => {
  const store = await openStore();
  await store.provider.write((connection) => connection.exec(createUser));
  return store;
};

type Store = Awaited<ReturnType<typeof openWithUsers>>;

/** Users and jobs that are committed. */
const counts = ({ provider }: Store): Promise<unknown> =>
  provider.read((connection) =>
    connection
      .prepare("SELECT (SELECT count(*) FROM user), (SELECT count(*) FROM queuert_job)")
      .get(),
  );

describe("Drizzle", () => {
  const user = sqliteTable("user", { id: integer().primaryKey(), name: text().notNull() });

  it("writes rows that commit and roll back with the jobs", async () => {
    const store = await openWithUsers();
    const { adapter } = store;
    const start = (ending: () => void): Promise<void> =>
      adapter.runInTransaction(async (context) => {
        const db = drizzle(context.client);
        const inserted = db.insert(user).values({ name: "Ada" }).returning({ id: user.id }).get();
        await adapter.createJobs({ context, jobs: [aNewJob({ input: JSON.stringify(inserted) })] });
        ending();
      });
    await start(() => undefined);
    await expect(
      start(() => {
        throw rollBack;
      }),
    ).rejects.toBe(rollBack);
    expect(await counts(store)).toEqual([1, 1]);
  });
});

describe("Kysely", () => {
  interface Tables {
    user: { id: Generated<number>; name: string };
  }

  it("writes rows that commit and roll back with the jobs", async () => {
    const store = await openWithUsers();
    const { adapter } = store;
    const start = (ending: () => void): Promise<void> =>
      adapter.runInTransaction(async (context) => {
        const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: context.client }) });
        const inserted = await db
          .insertInto("user")
          .values({ name: "Ada" })
          .returning("id")
          .executeTakeFirstOrThrow();
        await adapter.createJobs({ context, jobs: [aNewJob({ input: JSON.stringify(inserted) })] });
        ending();
      });
    await start(() => undefined);
    await expect(
      start(() => {
        throw rollBack;
      }),
    ).rejects.toBe(rollBack);
    expect(await counts(store)).toEqual([1, 1]);
  });
});
