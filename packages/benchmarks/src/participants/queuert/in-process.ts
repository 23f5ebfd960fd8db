import { createInProcessStateAdapter } from "queuert";
import { drainedAtBy, type Participant } from "../participant.ts";
import { countStatement } from "../statement-count.ts";
import { limitedWorkloads } from "./limits.ts";
import { openQueuert } from "./open-queuert.ts";

// One store per process: the process is the store.
const stateAdapter = createInProcessStateAdapter();
let written = 0;

/** Operations on the store count as statements where those are counted. */
const counted = (): typeof stateAdapter => ({
  ...stateAdapter,
  acquireJobs: (params) => {
    countStatement();
    return stateAdapter.acquireJobs(params);
  },
  reclaimExpiredLeases: (params) => {
    countStatement();
    return stateAdapter.reclaimExpiredLeases(params);
  },
  renewLeases: (params) => {
    countStatement();
    return stateAdapter.renewLeases(params);
  },
});

const unfinished = async (): Promise<number> => {
  const { counts } = await stateAdapter.summarize({ runningLongMs: 60_000 });
  return counts.reduce((sum, { status, count }) => (status === "failed" ? sum : sum + count), 0);
};

export const participant: Participant = {
  store: "in-process",
  settings: "the memory of the process; nothing is stored",
  workloads: ["value", "callback", "chain", "fan-in", ...limitedWorkloads],
  isPrivate: true,
  prepare: async () => {},
  open: () =>
    openQueuert({
      stateAdapter: counted(),
      writeRow: () => {
        written += 1;
      },
      close: async () => {},
    }),
  inspect: async () => ({
    unfinishedCount: unfinished,
    drainedAt: () => drainedAtBy([async () => (await unfinished()) > 0]),
    writtenCount: async () => written,
    settle: async () => {},
    close: async () => {},
  }),
};
