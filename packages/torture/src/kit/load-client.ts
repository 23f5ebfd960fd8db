// The client loads its worker and its rare calls when they are first needed. A virtual clock cannot wait for a disk, so a run
// loads them before it begins.
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";

type Definitions = { none: { entry: true; input: null; output: null } };

const load = async (): Promise<void> => {
  const queuert = await createQueuert({
    stateAdapter: createInProcessStateAdapter(),
    jobTypeDefinitions: defineUnionJobTypes<Definitions>(),
  });
  await queuert.getPauses();
  const worker = queuert
    .createWorker()
    .implementJobType({ typeName: "none", process: ({ complete }) => complete(null) });
  await worker.processOnce({ budgetMs: 1_000 });
  await (await worker.start()).stop();
  await queuert.close();
};

let loaded: Promise<void> | undefined;

/** The same promise for each run of a process. */
export const loadClient = (): Promise<void> => (loaded ??= load());
