// A client whose jobs write a row each with the ORM. As a program it works on them until it is killed.
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createSqliteStateAdapter } from "../../src/index.ts";
import { createDoneSql, openOrm } from "./clients.ts";

const leaseMs = 400;

export const openSteps = async (...options: Parameters<typeof openOrm>) => {
  const orm = await openOrm(...options);
  const stateAdapter = await createSqliteStateAdapter({ stateProvider: orm.stateProvider });
  await orm.stateProvider.write((connection) => connection.exec(createDoneSql));
  const queuert = await createQueuert({
    stateAdapter,
    jobTypeDefinitions: defineUnionJobTypes<{ step: { input: { key: string }; output: null } }>(),
    log: () => undefined,
  });
  const close = async (): Promise<void> => {
    await queuert.close();
    await orm.close();
  };
  return { orm, queuert, close };
};

type Steps = Awaited<ReturnType<typeof openSteps>>;

export const workOnSteps = async ({ queuert, orm }: Steps): Promise<{ stop(): Promise<void> }> =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "step",
      leaseConfig: { leaseMs, renewIntervalMs: leaseMs / 4 },
      retryConfig: { initialDelayMs: 10, maxDelayMs: 50 },
      process: async ({ job, complete }) =>
        complete(async (context) => {
          await orm.insert(context, job.input.key);
          // Killed here, the row goes with the transaction.
          await new Promise((resolve) => setTimeout(resolve, 2));
          return null;
        }),
    })
    .start({ concurrency: 5, pollIntervalMs: 50, reapIntervalMs: 100 });

if (process.argv[1]?.endsWith("step-worker.ts")) {
  const [, , name = "", filename = ""] = process.argv;
  await workOnSteps(await openSteps(name, filename));
  process.stdout.write("ready\n");
}
