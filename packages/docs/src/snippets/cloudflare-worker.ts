import pg from "pg";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createQueuert, defineUnionJobTypes } from "queuert";

interface Environment {
  readonly DATABASE_URL: string;
}

export default {
  async scheduled(_event: unknown, { DATABASE_URL }: Environment): Promise<void> {
    const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
    const queuert = await createQueuert({
      stateAdapter: await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) }),
      jobTypeDefinitions: defineUnionJobTypes<{ mail: { input: string; output: null } }>(),
    });
    await queuert
      .createWorker()
      .implementJobType({ typeName: "mail", process: async ({ complete }) => complete(null) })
      .processOnce({ budgetMs: 20_000, concurrency: 1 });
    await queuert.close();
    await pool.end();
  },
};
