// The cases by name, with their participants. The names are stable: later comparisons rely on them.
import type { Workload } from "../participants/participant.ts";
import type { Case, Round, RoundResult } from "./case.ts";
import { type DrainOptions, measureDrain } from "./drain.ts";
import { holdTransaction } from "./held-transaction.ts";
import { measureIdleQueries, measureMemory } from "./idle.ts";
import { measureLatency } from "./latency.ts";
import { measureBulkStarts, measureStarts } from "./start.ts";

const own = ["queuert-postgres", "queuert-postgres-js", "queuert-sqlite", "queuert-mongodb"];
const inProcess = "queuert-in-process";
const notifying = ["postgres-notify", "postgres-redis", "postgres-nats", "mongodb-notify"].map(
  (name) => `queuert-${name}`,
);
const floors = ["floor-postgres", "floor-sqlite", "floor-mongodb"];
const peers = [
  ...["graphile-worker", "graphile-worker-batched", "pg-boss", "pg-boss-1000"],
  ...["bullmq", "bullmq-fsync", "agenda", "plainjob", "liteque"],
];
const all = [...own, inProcess, ...floors, ...peers];
const listening = [...own, inProcess, ...notifying, ...floors, ...peers];

const drain = (name: string, workload: Workload, others: Partial<Case> = {}): Case => ({
  name,
  isRate: true,
  participants: all,
  measure: (round: Round): Promise<RoundResult> =>
    measureDrain(round, {
      workload,
      jobCount: round.sizes.drainJobs,
      // Chains have to come to their end.
      ...(workload === "chain"
        ? { limitMs: 4 * round.sizes.limitMs, mustFinish: true }
        : { limitMs: round.sizes.limitMs }),
    }),
  ...others,
});

const start = (name: string, measure: Case["measure"]): Case => ({
  name,
  isRate: true,
  participants: all,
  measure,
});

const held = (round: Round): Promise<RoundResult> => {
  const options: DrainOptions = {
    workload: "value",
    jobCount: round.sizes.heldJobs,
    limitMs: round.sizes.heldLimitMs,
    beside: () => holdTransaction(round.participant.store, round.target),
  };
  return measureDrain(round, options);
};

export const cases: readonly Case[] = [
  start("start-1", (round) => measureStarts(round, 1)),
  start("start-10", (round) => measureStarts(round, 10)),
  start("start-50", (round) => measureStarts(round, 50)),
  start("start-bulk", measureBulkStarts),
  drain("drain-value", "value", { hasVariants: true }),
  drain("drain-callback", "callback", { hasVariants: true }),
  drain("chain-5", "chain"),
  drain("fan-in-10", "fan-in"),
  {
    name: "latency-idle",
    isRate: false,
    participants: listening,
    measure: (round) => measureLatency(round, { count: round.sizes.latencyStarts, everyMs: 25 }),
  },
  {
    name: "latency-200",
    isRate: false,
    participants: listening,
    measure: (round) =>
      measureLatency(round, { count: round.sizes.steadySeconds * 200, everyMs: 5 }),
  },
  drain("full-table", "value", {
    needsFullTable: true,
    participants: [...own, ...floors, "graphile-worker-batched", "pg-boss-1000", "plainjob"],
  }),
  {
    name: "held-transaction",
    isRate: true,
    participants: [...own, ...floors, "graphile-worker-batched", "pg-boss-1000", "plainjob"],
    measure: held,
  },
  { name: "memory", isRate: false, participants: all, measure: measureMemory },
  { name: "idle-queries", isRate: false, participants: listening, measure: measureIdleQueries },
];

/** Those measured at every concurrency and number of processes. */
export const variantParticipants: readonly string[] = [
  ...own,
  ...floors,
  "graphile-worker-batched",
  "pg-boss-1000",
  "bullmq",
];
