// Jobs with large inputs, 20 MB together: workers acquire several at once, and hold them all.
import { createQueuert } from "queuert";
import { jobTypes } from "../load/job-types.ts";
import { randomPlan } from "../load/plan.ts";
import { startPlans } from "../load/run-plan.ts";
import { createRandom } from "../random.ts";
import type { Target } from "./inject.ts";

const count = 40;
const bytesEach = 500_000;
let calls = 0;

export const startPayloads = async (
  { store, note, now }: Pick<Target, "store" | "note" | "now">,
  seed: number,
): Promise<void> => {
  const random = createRandom(seed);
  const call = calls++;
  const plans = Array.from({ length: count }, (_, index) => ({
    ...randomPlan(random, `payload${call}-${index}`, 0),
    padding: "x".repeat(bytesEach),
  }));
  const queuert = await createQueuert({
    stateAdapter: store.state,
    jobTypeDefinitions: jobTypes,
    log: () => undefined,
  });
  try {
    const started = await queuert.transaction((context) =>
      startPlans({ queuert, now }, context, plans),
    );
    for (const [index, { id: sequenceId }] of started.entries()) {
      note({ kind: "started", at: now(), sequenceId, path: plans[index]?.path ?? "" });
    }
  } finally {
    await queuert.close();
  }
};
