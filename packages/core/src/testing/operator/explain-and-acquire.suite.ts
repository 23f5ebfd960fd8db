// `explain` and `acquireJobs` agree: a job is acquired exactly if its explanation says that the next worker with room acquires
// it. The states are random, and printed by their seed.
import { expect } from "vitest";
import type { LimitKeyStore } from "../../adapters/limit-key-store.ts";
import type { BatchCondition } from "../../adapters/state-adapter-limits.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { explainJob } from "../../operator/explain/explain.ts";
import type { ReasonKind } from "../../public-types/explanation.ts";
import { aJob, minuteMs } from "../factories.ts";
import { oneOf, type Random, seededRandom } from "../random.ts";
import { slowRate } from "../state/limit-key-steps.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

const typeNames = ["a", "b", "c"];
const jobsOfRound = 50;
const rounds = 2;
/** Each population has 100 jobs: 2,000 states in all. */
const populations = 20;

/** In every other population, its jobs stand under these keys, or under none. */
const keyedType = "a";
const keys = ["open", "one", "two", "slow", "paused"];

/** Its jobs are acquired in one of these batches, in every third population. If there are keys, each of them in its own. */
const batchedType = (isKeyed: boolean): string => (isKeyed ? keyedType : "b");
const batches: readonly BatchCondition[] = [
  { minSize: 2, maxWaitMs: 60 * minuteMs },
  { minSize: 20, maxWaitMs: 60 * minuteMs },
  { minSize: 500, maxWaitMs: 60 * minuteMs },
  { minSize: 500, maxWaitMs: 1 },
];

/** `explain` knows of batches from the reports of workers. */
const reportBatch = async (
  { operator }: AnyStateAdapter,
  typeName: string,
  batch: BatchCondition,
): Promise<void> => {
  await operator?.beat?.({
    process: { host: "h", pid: 1, machine: null, processStart: null },
    workers: [
      {
        ...{ instanceId: "batches", workerId: "w", state: "running", concurrency: 5, busy: 0 },
        types: [{ typeName, concurrency: null, batch }],
        ...{ beatMs: minuteMs, libraryVersion: null },
      },
    ],
    forgetAfterMs: 60 * minuteMs,
  });
};

const setKeys = async (adapter: AnyStateAdapter, limitKeys: LimitKeyStore): Promise<void> => {
  const limit = { name: keyedType, concurrency: null, rate: null, declaration: null };
  await adapter.setLimits({ limits: [limit] });
  const bounds = { concurrency: null, rate: null, weight: 1 };
  const of = (key: string) => ({ limitName: keyedType, key });
  await limitKeys.setLimitKeys({
    keys: [
      { ...of("one"), bounds: { ...bounds, concurrency: 1 } },
      { ...of("two"), bounds: { ...bounds, concurrency: 2, weight: 3 } },
      { ...of("slow"), bounds: { ...bounds, rate: slowRate(3) } },
      { ...of("paused"), pause: { forMs: null, note: "on purpose", extends: false } },
    ],
  });
};

/** With these reasons, an acquisition with room for all acquires the job. */
const acquired: ReadonlySet<ReasonKind> = new Set([
  "lease_expired",
  "no_worker",
  "workers_full",
  "behind",
  "due_and_free",
]);

export const explainAndAcquireSuite: OperatorSuite = defineOperatorSuite(
  "explain and acquireJobs",
  (rule) => {
    for (let population = 0; population < populations; population++) {
      rule(`agree on the jobs of random population ${population + 1}`, async (test) => {
        const random = seededRandom(test.seed * 1_000 + population);
        // Every other population has jobs under keys, in stores that have them.
        const { limitKeys, operator } = test.stateAdapter;
        const isKeyed = population % 2 === 1 && operator?.findKeys !== undefined;
        if (isKeyed && limitKeys !== undefined) await setKeys(test.stateAdapter, limitKeys);
        // Every third one has a type that is acquired in batches.
        const drawn = population % 3 === 2 ? oneOf(batches, random) : undefined;
        const batch = drawn && { ...drawn, perKey: isKeyed };
        const batched = batch && batchedType(isKeyed);
        const ids = await populate(test, random, { isKeyed, batched });
        if (batch !== undefined) {
          await reportBatch(test.stateAdapter, batchedType(isKeyed), batch);
        }
        const { stateAdapter } = test;
        const explained = [];
        for (const id of ids) explained.push(await explainJob(stateAdapter, id));
        const taken = await acquireAll(stateAdapter, batched, batch);
        for (const { jobId, reasons, verdict, headline } of explained) {
          const [deciding] = reasons;
          const isExpected = deciding !== undefined && acquired.has(deciding.kind);
          expect([headline, taken.has(jobId)]).toEqual([headline, isExpected]);
          if (verdict === "will_run") expect(isExpected).toBe(true);
        }
      });
    }
  },
);

/** A batch of one key is an acquisition of its own. */
const acquireAll = async (
  adapter: AnyStateAdapter,
  batched: string | undefined,
  batch: BatchCondition | undefined,
): Promise<ReadonlySet<string>> => {
  const types = [...typeNames, "next"].map((typeName) => ({
    ...{ typeName, leaseMs: minuteMs, limit: 1_000 },
    batch: typeName === batched ? batch : undefined,
  }));
  const taken = new Set<string>();
  for (;;) {
    const { jobs } = await adapter.acquireJobs({ workerId: "all", limit: 1_000, types });
    for (const { job } of jobs) taken.add(job.id);
    if (jobs.length === 0 || batch?.perKey !== true) return taken;
  }
};

/** Jobs in random states. Returns their ids. */
const populate = async (
  test: StateCaseContext,
  random: Random,
  { isKeyed, batched }: { readonly isKeyed: boolean; readonly batched: string | undefined },
): Promise<readonly string[]> => {
  const { stateAdapter, steps } = test;
  const sequences: string[] = [];
  const ids: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const jobs = Array.from({ length: jobsOfRound }, () => {
      const typeName = oneOf(typeNames, random);
      const key = isKeyed && typeName === keyedType ? oneOf([...keys, null], random) : null;
      // The time for which a job was blocked is not shown.
      const isPlain = typeName === batched;
      const past = isPlain ? null : { at: new Date(0) };
      return aJob({
        typeName,
        limitKey: key === null ? null : { limitName: keyedType, key, cost: 1 },
        priority: oneOf([0, 0, 0, 5, -5], random),
        schedule: oneOf([null, null, past, { afterMs: 60 * minuteMs }], random),
        onBlockerFailure: oneOf(["wait", "fail"], random),
        awaitsBlockers: random() < 0.3 && !isPlain,
      });
    });
    await stateAdapter.runInTransaction(async (context) => {
      const created = await stateAdapter.createJobs({ context, jobs });
      const stored = created.map(({ job }) => job.id);
      const waiting = stored.filter((_, index) => jobs[index]?.awaitsBlockers);
      const free = stored.filter((_, index) => jobs[index]?.awaitsBlockers === false);
      await stateAdapter.addBlockers({
        context,
        jobs: waiting.map((jobId, index) => ({
          jobId,
          // Sequences of earlier rounds, free jobs of this one, and waiting jobs before it: no circle.
          blockerSequenceIds: [0, 1].map(() =>
            oneOf([...sequences, ...free, ...waiting.slice(0, index)], random),
          ),
        })),
      });
      ids.push(...stored);
      sequences.push(...stored);
    });
    ids.push(...(await runSome(test, random, isKeyed)));
  }
  // The shortest leases have expired.
  const last = await steps.createOne({ typeName: "clock" });
  await steps.untilStoreTime(new Date(last.createdAt.getTime() + 5));
  return ids;
};

/** Acquires some jobs, and ends their attempts in every way. Returns the ids of continuations. */
const runSome = async (
  { stateAdapter, steps }: StateCaseContext,
  random: Random,
  isKeyed: boolean,
): Promise<readonly string[]> => {
  const continued: string[] = [];
  for (const typeName of typeNames) {
    // Which of two jobs of a key comes first is known of pending ones.
    const mayExpire = !isKeyed || typeName !== keyedType;
    const leaseMs = oneOf(mayExpire ? [1, 60 * minuteMs] : [60 * minuteMs], random);
    const limit = Math.ceil(random() * 10);
    const taken = await steps.acquire({ typeName, limit, leaseMs });
    for (const { job } of taken) {
      const end = oneOf(["complete", "fail", "retry", "later", "continue", "run", "run"], random);
      if (end === "complete") await steps.complete(job);
      if (end === "fail") await steps.fail(job);
      if (end === "continue") continued.push((await steps.continueWith(job)).id);
      if (end !== "retry" && end !== "later") continue;
      const schedule = end === "retry" ? { afterMs: 60 * minuteMs } : null;
      const { id: jobId, leaseVersion } = job;
      const error = random() < 0.5 ? "Error: again" : null;
      await stateAdapter.rescheduleJobs({
        jobs: [{ jobId, leaseVersion, schedule, countsAttempt: error !== null, error }],
      });
    }
  }
  return continued;
};
