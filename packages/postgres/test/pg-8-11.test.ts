// The oldest `pg` that is supported. It is CommonJS, so its import is another one, too.
import { providedPostgres } from "@queuert/test-services/provided";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { expect, it, vi } from "vitest";
import { createPgNotifyAdapter, createPgStateAdapter } from "../src/index.ts";

// The alias has no types of its own; it is the same package.
vi.mock("pg", () => import(/* @vite-ignore */ "pg-8-11" as string));

it("runs jobs with pg 8.11, notified by it", async () => {
  const { default: pg } = await import("pg");
  const { createPgPoolNotifyProvider, createPgPoolStateProvider } =
    await import("../src/providers/pg.ts");
  const { url } = await providedPostgres().createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 5 });

  const stateAdapter = await createPgStateAdapter({
    stateProvider: createPgPoolStateProvider(pool),
  });
  await stateAdapter.migrateToLatest();
  const notifyAdapter = await createPgNotifyAdapter({ provider: createPgPoolNotifyProvider(pool) });
  const jobTypeDefinitions = defineUnionJobTypes<{ task: { input: number; output: number } }>();
  const queuert = await createQueuert({
    ...{ stateAdapter, notifyAdapter, jobTypeDefinitions, log: () => undefined },
  });
  // No poll finds a job in time.
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "task",
      process: async ({ job, complete }) =>
        complete(async ({ client }) => {
          const { rows } = await client.query<{ answer: number }>("SELECT $1::int + 1 AS answer", [
            job.input,
          ]);
          return rows[0]?.answer ?? 0;
        }),
    })
    .start({ pollIntervalMs: 60_000 });
  const { id } = await queuert.transaction((context) =>
    queuert.startJobSequence({ ...context, typeName: "task", input: 41 }),
  );
  const done = await queuert.waitForJobSequenceCompletion({
    ...{ typeName: "task", id, timeoutMs: 10_000, pollIntervalMs: 60_000 },
  });
  expect(done.output).toBe(42);
  await worker.stop();
  await queuert.close();
  await notifyAdapter.close();
  await pool.end();
});
