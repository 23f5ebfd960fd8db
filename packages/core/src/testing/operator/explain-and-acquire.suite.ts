// `explain` and `acquireJobs` agree: a job is acquired exactly if its explanation says that the next worker with room acquires
// it. The states are random, and printed by their seed.
import { expect } from "vitest";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { explainJob } from "../../operator/explain/explain.ts";
import type { ReasonKind } from "../../public-types/explanation.ts";
import { aJob, minuteMs } from "../factories.ts";
import { oneOf, type Random, seededRandom } from "../random.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

const typeNames = ["a", "b", "c"];
const jobsOfRound = 50;
const rounds = 2;
/** Each population has 100 jobs: 2,000 states in all. */
const populations = 20;

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
        const ids = await populate(test, random);
        const { stateAdapter } = test;
        const explained = [];
        for (const id of ids) explained.push(await explainJob(stateAdapter, id));
        const taken = await acquireAll(stateAdapter);
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

const acquireAll = async (adapter: AnyStateAdapter): Promise<ReadonlySet<string>> => {
  const types = [...typeNames, "next"].map((typeName) => ({
    ...{ typeName, leaseMs: minuteMs, limit: 1_000 },
  }));
  const { jobs } = await adapter.acquireJobs({ workerId: "all", limit: 1_000, types });
  return new Set(jobs.map(({ job }) => job.id));
};

/** Jobs in random states. Returns their ids. */
const populate = async (test: StateCaseContext, random: Random): Promise<readonly string[]> => {
  const { stateAdapter, steps } = test;
  const sequences: string[] = [];
  const ids: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const jobs = Array.from({ length: jobsOfRound }, () =>
      aJob({
        typeName: oneOf(typeNames, random),
        priority: oneOf([0, 0, 0, 5, -5], random),
        schedule: oneOf([null, null, { at: new Date(0) }, { afterMs: 60 * minuteMs }], random),
        onBlockerFailure: oneOf(["wait", "fail"], random),
        awaitsBlockers: random() < 0.3,
      }),
    );
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
    ids.push(...(await runSome(test, random)));
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
): Promise<readonly string[]> => {
  const continued: string[] = [];
  for (const typeName of typeNames) {
    const leaseMs = oneOf([1, 60 * minuteMs], random);
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
