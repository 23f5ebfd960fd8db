import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";

/** The client of an application with one worker. The lines that it prints are for the test. */
export const openQueuert = async () => {
  const queuert = await createQueuert({
    stateAdapter: createInProcessStateAdapter(), // yours: PostgreSQL, SQLite or MongoDB
    jobTypeDefinitions: defineUnionJobTypes<{ mail: { input: null; output: null } }>(),
  });
  await queuert
    .createWorker()
    .implementJobType({
      typeName: "mail",
      process: async ({ complete, signal }) => {
        console.log("a job runs");
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        console.log(`the job ends: ${String(signal.reason)}`);
        return complete(null);
      },
    })
    .start({ shutdownGraceMs: 100 });
  const startMail = () =>
    queuert.startJobSequence({ autocommit: true, typeName: "mail", input: null });
  const closeDatabase = async () => console.log("the database is closed");
  return { queuert, startMail, closeDatabase };
};
