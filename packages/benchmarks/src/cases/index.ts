// The cases by name, with their participants. The names are stable: later comparisons rely on them.
import type { LimitedWorkload, Workload } from "../participants/participant.ts";
import type { Case, Round, RoundResult } from "./case.ts";
import { type DrainOptions, measureDrain } from "./drain.ts";
import { holdTransaction } from "./held-transaction.ts";
import { measureIdleQueries, measureMemory } from "./idle.ts";
import { measureLatency } from "./latency.ts";
import { measureLimited, measureNoisyKey } from "./limits.ts";
import { measureManyTypes } from "./many-types.ts";
import { payloadCases } from "./payload.ts";
import { measureSchedules } from "./schedules.ts";
import { measureSoak } from "./soak.ts";
import { measureBulkStarts, measureStarts } from "./start.ts";

const own = ["queuert-postgres", "queuert-postgres-js", "queuert-sqlite", "queuert-mongodb"];
const withoutHistory = ["postgres", "sqlite", "mongodb"].map(
  (name) => `queuert-${name}-no-history`,
);
const inProcess = "queuert-in-process";
const notifying = ["postgres-notify", "postgres-redis", "postgres-nats", "mongodb-notify"].map(
  (name) => `queuert-${name}`,
);
const floors = ["floor-postgres", "floor-sqlite", "floor-mongodb"];
const peers = [
  ...["graphile-worker", "graphile-worker-batched", "pg-boss", "pg-boss-1000"],
  ...["pg-boss-1000-per-job", "pg-boss-transactional"],
  ...["bullmq-postgres", "dbos", "openworkflow"],
  ...["bullmq", "bullmq-fsync", "agenda", "plainjob", "liteque"],
];
const all = [...own, inProcess, ...floors, ...peers];
const listening = [...own, inProcess, ...notifying, ...floors, ...peers];

const transactional = [
  ...[...own, "queuert-postgres-notify", "queuert-mongodb-notify", ...floors],
  ...["pg-boss", "graphile-worker", "dbos"],
];

// Those that can be filled from outside, or hold on to dead rows.
const filled = [...own, ...floors, "graphile-worker-batched", "pg-boss-1000", "plainjob"];
const soaked = [
  ...["queuert-postgres-notify", "queuert-sqlite", "queuert-mongodb-notify", ...floors],
  ...["graphile-worker-batched", "pg-boss-1000"],
];
const manyTypes = [
  ...["queuert-postgres-notify", "queuert-sqlite", "queuert-mongodb-notify", inProcess],
];
const hourMs = 3_600_000;

const drain = (name: string, workload: Workload, others: Partial<Case> = {}): Case => ({
  ...{ name, workload },
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

const limited = (name: string, workload: LimitedWorkload): Case => ({
  name,
  workload,
  isRate: true,
  participants: [...own, inProcess],
  measure: (round) => measureLimited(round, workload),
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
  {
    // Beside bare INSERTs of as many connections as callers.
    ...start("start-autocommit-50", (round) => measureStarts(round, 50)),
    participants: [...own, "queuert-postgres-notify", "floor-postgres-50"],
  },
  ...[1, 10, 50].map((callers) => ({
    ...start(`start-in-tx-${callers}`, (round) => measureStarts(round, callers, true)),
    participants: transactional,
  })),
  drain("drain-value", "value", { hasVariants: true }),
  drain("drain-callback", "callback", { hasVariants: true }),
  drain("drain-callback-batch", "callback", {
    participants: ["queuert-postgres-batch", "pg-boss-transactional", "floor-postgres-batched"],
  }),
  drain("drain-failing", "failing", { participants: [...own, ...withoutHistory] }),
  limited("limit-keys", "keys"),
  limited("limit-key-rates", "key-rates"),
  limited("limit-type", "type-limit"),
  limited("limits-unused", "unused-limits"),
  {
    name: "limit-noisy-key",
    isRate: true,
    participants: [...own, inProcess],
    measure: measureNoisyKey,
  },
  drain("chain-5", "chain"),
  drain("fan-in-10", "fan-in"),
  {
    name: "latency-idle",
    isRate: false,
    participants: listening,
    measure: (round) => measureLatency(round, { count: round.sizes.latencyStarts, everyMs: 25 }),
  },
  {
    name: "latency-2000",
    isRate: false,
    participants: listening,
    measure: (round) =>
      measureLatency(round, { count: round.sizes.steadySeconds * 2_000, everyMs: 0.5 }),
  },
  {
    name: "latency-5000",
    isRate: false,
    participants: listening,
    measure: (round) =>
      measureLatency(round, { count: round.sizes.steadySeconds * 5_000, everyMs: 0.2 }),
  },
  {
    name: "latency-200",
    isRate: false,
    participants: listening,
    measure: (round) =>
      measureLatency(round, { count: round.sizes.steadySeconds * 200, everyMs: 5 }),
  },
  drain("full-table", "value", {
    fill: ({ finished, scheduled, blocked }) => ({ finished, scheduled, blocked, otherType: 0 }),
    participants: filled,
  }),
  drain("full-table-3m", "value", {
    fill: (sizes) => ({
      ...{ finished: sizes.manyFinished, scheduled: sizes.manyScheduled, blocked: 0 },
      otherType: sizes.manyOfOtherType,
    }),
    patienceMs: hourMs,
    participants: filled,
  }),
  ...Object.entries(payloadCases).map(([name, payload]) => drain(name, "value", payload)),
  {
    name: "held-transaction",
    isRate: true,
    participants: filled,
    measure: held,
  },
  {
    name: "soak-held",
    isRate: true,
    participants: soaked,
    patienceMs: hourMs,
    measure: measureSoak,
  },
  {
    name: "memory",
    isRate: false,
    participants: all,
    measure: (round) => measureMemory(round, round.sizes.drainJobs, round.sizes.limitMs),
  },
  {
    name: "memory-100k",
    isRate: false,
    participants: all,
    measure: (round) => measureMemory(round, round.sizes.memoryJobs, round.sizes.heldLimitMs),
  },
  { name: "many-types", isRate: false, participants: manyTypes, measure: measureManyTypes },
  { name: "schedules", isRate: false, participants: manyTypes, measure: measureSchedules },
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
