import { expect } from "vitest";
import { matchesAll } from "../../adapter-kit/job-conditions.ts";
import type { StoreCondition } from "../../adapters/job-condition.ts";
import type { ExamineJobsParams } from "../../adapters/operator-reads.ts";
import type { StateJob } from "../../model/state-job.ts";
import { jobStatuses } from "../../model/status.ts";
import { aKey, minuteMs } from "../factories.ts";
import {
  defineOperatorSuite,
  type OperatorCaseContext,
  type OperatorSuite,
} from "./operator-suite.ts";

export const everything: ExamineJobsParams = {
  conditions: [],
  order: "asc",
  limit: 1_000,
  afterOrdinal: null,
  ordinalMax: null,
  examineMax: 1_000,
};

/** Jobs of every status, with a value in every field. */
export const populate = async ({ steps, stateAdapter }: OperatorCaseContext): Promise<void> => {
  const input = JSON.stringify({ order: 'A-17 "quoted" \\ % _ 🙂' });
  const root = await steps.createRunning({ typeName: "root", input }, { workerId: "w-2" });
  const next = await steps.continueWith(root);
  await steps.createOne({ rootSequenceId: root.id, originId: next.id, priority: 7 });
  await steps.createOne({ deduplication: aKey("day"), schedule: { afterMs: minuteMs } });
  const failed = await steps.createFailed({ typeName: "bad" }, "Error: 100 % of it_");
  await steps.createBlocked([failed], { typeName: "waiting", priority: -3 });
  const retried = await steps.createRunning({ typeName: "retried" });
  await stateAdapter.rescheduleJobs({
    jobs: [
      {
        ...{ jobId: retried.id, leaseVersion: 1, schedule: { afterMs: minuteMs } },
        ...{ countsAttempt: true, error: "Error: again" },
      },
    ],
  });
  const stalled = await steps.createRunning({ typeName: "stalled" }, { leaseMs: 1 });
  await steps.untilExpired(stalled);
  await steps.createRunning({ typeName: "running" });
  await steps.createCompleted({ typeName: "done" }, '"out A-17"');
  await steps.createCancelled({ typeName: "cancelled" });
};

export const conditionsFor = (jobs: readonly StateJob[]): StoreCondition[] => {
  const [first, second] = jobs;
  if (first === undefined || second === undefined) throw new Error("No jobs");
  const texts = [
    "typeName",
    "sequenceTypeName",
    "sequenceId",
    "rootSequenceId",
    "originId",
  ] as const;
  const workers = ["deduplicationKey", "leasedBy", "completedBy"] as const;
  const positive = [
    { field: "id", anyOf: [first.id, second.id] },
    { field: "idPrefix", anyOf: [second.id] },
    ...[...texts, ...workers].flatMap((of) => {
      const values = [...new Set(jobs.map((job) => job[of]).filter((value) => value !== null))];
      return [values.slice(0, 1), values].map((anyOf) => ({ field: "text", of, anyOf }) as const);
    }),
    ...jobStatuses.map((status) => ({ field: "status", anyOf: [status] }) as const),
    ...(
      [
        ["failed", "completed"],
        ["pending", "running"],
        ["pending", "failed"],
        ["running", "blocked"],
      ] as const
    ).map((anyOf) => ({ field: "status", anyOf }) as const),
    ...(["open", "due", "scheduled", "retrying", "stalled", "root"] as const).map(
      (state) => ({ field: "is", anyOf: [state] }) as const,
    ),
    { field: "is", anyOf: ["due", "stalled"] },
    { field: "number", of: "priority", min: 0, max: null },
    { field: "number", of: "priority", min: null, max: -1 },
    { field: "number", of: "attempt", min: 1, max: 1 },
    { field: "time", of: "createdAt", from: second.createdAt, to: null },
    { field: "time", of: "createdAt", from: null, to: second.createdAt },
    { field: "time", of: "finishedAt", from: new Date(0), to: null },
    { field: "time", of: "finishedAt", from: null, to: new Date(0) },
    { field: "contains", of: ["input"], anyOf: ["A-17", "nowhere"] },
    { field: "contains", of: ["input", "output", "lastAttemptError"], anyOf: ["A-17"] },
    { field: "contains", of: ["output"], anyOf: ["a-17"] },
    { field: "contains", of: ["lastAttemptError"], anyOf: ["100 %", "_"] },
    { field: "contains", of: ["input"], anyOf: ["\\\\ % _ 🙂"] },
    { field: "contains", of: ["input"], anyOf: [".*"] },
  ] as const;
  return [false, true].flatMap((negated) => positive.map((each) => ({ ...each, negated })));
};

export const examineJobsSuite: OperatorSuite = defineOperatorSuite("examineJobs", (rule) => {
  rule("each condition means the same as in the matcher, negated or not", async (test) => {
    await populate(test);
    const { jobs } = await test.operator.examineJobs(everything);
    expect(jobs).toHaveLength(11);
    expect(await test.stateAdapter.getJobs({ ids: jobs.map(({ id }) => id) })).toEqual(jobs);
    const now = await test.operator.readClock();
    for (const condition of conditionsFor(jobs)) {
      const found = await test.operator.examineJobs({ ...everything, conditions: [condition] });
      const expected = jobs.filter((job) => matchesAll(job, [condition], now));
      const name = JSON.stringify(condition);
      expect([name, ...found.jobs.map(({ id }) => id)]).toEqual([
        name,
        ...expected.map(({ id }) => id),
      ]);
      expect(found.examinedTo).toBeNull();
    }
  });

  rule("all conditions hold for each job", async (test) => {
    await populate(test);
    const conditions = [
      { field: "status", anyOf: ["pending"], negated: false },
      { field: "is", anyOf: ["due"], negated: true },
      { field: "text", of: "deduplicationKey", anyOf: ["day"], negated: false },
    ] as const;
    const { jobs } = await test.operator.examineJobs({ ...everything, conditions });
    expect(jobs.map(({ deduplicationKey }) => deduplicationKey)).toEqual(["day"]);
    const none = { field: "text", of: "typeName", anyOf: [], negated: false } as const;
    const found = await test.operator.examineJobs({ ...everything, conditions: [none] });
    expect(found.jobs).toEqual([]);
  });

  rule(
    "Looks at no more than `examineMax` jobs, however few of them match.",
    async ({ operator, steps }) => {
      const jobs = await steps.create(...Array.from({ length: 30 }, () => ({})));
      const conditions = [
        { field: "text", of: "typeName", anyOf: ["absent"], negated: false },
      ] as const;
      for (const order of ["asc", "desc"] as const) {
        const params = { ...everything, order, conditions, examineMax: 12 };
        const page = await operator.examineJobs(params);
        const last = (order === "asc" ? jobs : jobs.toReversed())[11];
        expect(page).toEqual({ jobs: [], examined: 12, examinedTo: last?.ordinal });
      }
    },
  );

  rule(
    "Pages that continue at `examinedTo` cover each job once, also while jobs are created.",
    async ({ operator, steps }) => {
      const jobs = await steps.create(
        ...Array.from({ length: 40 }, (_, index) => ({ priority: index % 3 })),
      );
      const wanted = jobs.filter(({ priority }) => priority === 1).map(({ id }) => id);
      const conditions = [
        { field: "number", of: "priority", min: 1, max: 1, negated: false },
      ] as const;
      for (const order of ["asc", "desc"] as const) {
        for (const [limit, examineMax] of [
          [1, 7],
          [5, 7],
          [100, 1],
          [3, 100],
        ] as const) {
          const found: string[] = [];
          let afterOrdinal: number | null = null;
          do {
            const ordinalMax = jobs.at(-1)?.ordinal ?? 0;
            const page = { ...everything, conditions, order, limit, examineMax };
            const answer = await operator.examineJobs({ ...page, afterOrdinal, ordinalMax });
            expect(answer.examined).toBeLessThanOrEqual(examineMax);
            found.push(...answer.jobs.map(({ id }) => id));
            afterOrdinal = answer.examinedTo;
            if (found.length < 4) await steps.createOne({ priority: 1 });
          } while (afterOrdinal !== null);
          expect(found).toEqual(order === "asc" ? wanted : wanted.toReversed());
        }
      }
    },
  );

  rule("a page of failed jobs begins after the last one, too", async ({ operator, steps }) => {
    const failed: string[] = [];
    for (const _ of Array.from({ length: 5 })) failed.push((await steps.createFailed()).id);
    await steps.createCompleted({ typeName: "done" });
    const conditions = [{ field: "status", anyOf: ["failed"], negated: false }] as const;
    const found: string[] = [];
    let afterOrdinal: number | null = null;
    do {
      const page = { ...everything, conditions, order: "desc", limit: 2, afterOrdinal } as const;
      const answer = await operator.examineJobs(page);
      found.push(...answer.jobs.map(({ id }) => id));
      afterOrdinal = answer.examinedTo;
    } while (afterOrdinal !== null);
    expect(found).toEqual(failed.toReversed());
  });

  rule("a page of one among many failed jobs is complete", async ({ operator, steps }) => {
    const failed: StateJob[] = [];
    for (let count = 0; count < 20; count += 1) {
      failed.push(await steps.createFailed({ priority: count === 3 || count === 19 ? 1 : 0 }));
    }
    const conditions = [
      { field: "status", anyOf: ["failed"], negated: false },
      { field: "number", of: "priority", min: 1, max: 1, negated: false },
    ] as const;
    const page = { ...everything, conditions, order: "desc", limit: 1 } as const;
    const [early, late] = failed.filter(({ priority }) => priority === 1);
    const first = await operator.examineJobs(page);
    expect(first).toEqual({ jobs: [late], examined: 1, examinedTo: late?.ordinal });
    const afterOrdinal = late?.ordinal ?? null;
    const second = await operator.examineJobs({ ...page, afterOrdinal });
    expect(second).toEqual({ jobs: [early], examined: 16, examinedTo: early?.ordinal });
    const none = { field: "text", of: "typeName", anyOf: ["absent"], negated: false } as const;
    const found = await operator.examineJobs({ ...page, conditions: [...conditions, none] });
    expect(found).toEqual({ jobs: [], examined: 20, examinedTo: null });
  });
});
