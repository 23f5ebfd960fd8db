// Jobs in the transactions of ORMs: they are stored exactly when the ORM's own rows are, and workers complete them there.
import { createPgStateAdapter, type PgStateProvider } from "@queuert/postgres";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { CamelCasePlugin, type Generated, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { servers } from "../fixtures.ts";
import { createDrizzleStateProvider } from "./drizzle-provider.ts";
import { createKyselyStateProvider } from "./kysely-provider.ts";

const jobTypeDefinitions = defineUnionJobTypes<{
  greet: { input: { name: string }; output: { greeting: string } };
}>();

const rollBack = new Error("rolled back on purpose");
describe.each(servers)("%s", (_server, databases) => {
  let pool: pg.Pool;

  beforeEach(async () => {
    const { url } = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: url, max: 5 });
    await pool.query(
      "CREATE TABLE person (id integer GENERATED ALWAYS AS IDENTITY, name text NOT NULL)",
    );
  });
  afterEach(() => pool.end());

  const open = async <TTxContext extends object, TContext extends object>(
    stateProvider: PgStateProvider<TTxContext, TContext>,
  ) => {
    const stateAdapter = await createPgStateAdapter({ stateProvider });
    await stateAdapter.migrateToLatest();
    return createQueuert({ stateAdapter, jobTypeDefinitions });
  };

  /** Persons and jobs that are committed. */
  const counts = async (): Promise<unknown> => {
    const { rows } = await pool.query(
      `SELECT (SELECT count(*)::int FROM person) AS persons, (SELECT count(*)::int FROM queuert.job) AS jobs`,
    );
    return rows[0];
  };

  const greeting = { greeting: "Hello, Ada" };

  describe("Drizzle", () => {
    const person = pgTable("person", {
      id: integer().primaryKey().generatedAlwaysAsIdentity(),
      name: text().notNull(),
    });

    it("starts jobs in its own transactions, and completes them there", async () => {
      const db = drizzle(pool);
      const queuert = await open(createDrizzleStateProvider(db));
      const register = (name: string, ending: () => void) =>
        db.transaction(async (tx) => {
          await tx.insert(person).values({ name });
          const sequence = await queuert.startJobSequence({
            db: tx,
            typeName: "greet",
            input: { name },
          });
          ending();
          return sequence;
        });
      const sequence = await register("Ada", () => undefined);
      const failed = register("Bob", () => {
        throw rollBack;
      });
      await expect(failed).rejects.toBe(rollBack);
      expect(await counts()).toEqual({ persons: 1, jobs: 1 });

      const worker = await queuert
        .createWorker()
        .implementJobType({
          typeName: "greet",
          process: ({ job, complete }) =>
            complete(async ({ db: tx }) => {
              await tx.update(person).set({ name: sql`upper(${person.name})` });
              return { greeting: `Hello, ${job.input.name}` };
            }),
        })
        .start();
      const done = await queuert.waitForJobSequenceCompletion({
        typeName: "greet",
        id: sequence.id,
        timeoutMs: 20_000,
      });
      await worker.stop();
      expect(done.output).toEqual(greeting);
      expect(await db.select({ name: person.name }).from(person)).toEqual([{ name: "ADA" }]);
      await queuert.close();
    });
  });

  describe("Kysely", () => {
    interface Tables {
      person: { id: Generated<number>; name: string };
    }

    it.each([
      ["without plugins", []],
      ["with CamelCasePlugin", [new CamelCasePlugin()]],
    ])("starts jobs in its own transactions, and completes them there: %s", async (_, plugins) => {
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins });
      const queuert = await open(createKyselyStateProvider(db));
      const register = (name: string, ending: () => void) =>
        db.transaction().execute(async (trx) => {
          await trx.insertInto("person").values({ name }).execute();
          const sequence = await queuert.startJobSequence({
            db: trx,
            typeName: "greet",
            input: { name },
          });
          ending();
          return sequence;
        });
      const sequence = await register("Ada", () => undefined);
      const failed = register("Bob", () => {
        throw rollBack;
      });
      await expect(failed).rejects.toBe(rollBack);
      expect(await counts()).toEqual({ persons: 1, jobs: 1 });

      const worker = await queuert
        .createWorker()
        .implementJobType({
          typeName: "greet",
          process: ({ job, complete }) =>
            complete(async ({ db: trx }) => {
              await trx.updateTable("person").set({ name: "ADA" }).execute();
              return { greeting: `Hello, ${job.input.name}` };
            }),
        })
        .start();
      const done = await queuert.waitForJobSequenceCompletion({
        typeName: "greet",
        id: sequence.id,
        timeoutMs: 20_000,
      });
      await worker.stop();
      expect(done.output).toEqual(greeting);
      expect(await db.selectFrom("person").select("name").execute()).toEqual([{ name: "ADA" }]);
      await queuert.close();
    });
  });
});
