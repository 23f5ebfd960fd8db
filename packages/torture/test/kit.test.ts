// The kit for users: their job types under faults, in memory and on a store of their own.
import { readFileSync } from "node:fs";
import {
  type AnyStateAdapter,
  createInProcessStateAdapter,
  defineUnionJobTypes,
  type JobTypeDefinitionsOf,
  type Queuert,
  type StateAdapter,
} from "queuert";
import { describe, expect, it } from "vitest";
import { torture } from "../src/kit/index.ts";

const jobTypes = defineUnionJobTypes<{
  order: { input: { index: number }; output: null };
  mail: { input: { index: number }; output: null };
}>();

type Client = Queuert<JobTypeDefinitionsOf<typeof jobTypes>, StateAdapter<object, object, string>>;

/** Types aside: handlers are checked by other tests. */
interface OrderContext {
  readonly job: { readonly attempt: number; readonly input: { readonly index: number } };
  readonly complete: (
    callback: (tx: {
      readonly continueWith: (options: object) => Promise<unknown>;
    }) => Promise<unknown>,
  ) => Promise<never>;
}

const worker = (queuert: Pick<Client, "createWorker">) =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "order",
      leaseConfig: { leaseMs: 300 },
      process: async ({ job, complete }: OrderContext) => {
        if (job.input.index % 3 === 0 && job.attempt === 1) throw new Error("fails at first");
        return complete(({ continueWith }) => continueWith({ typeName: "mail", input: job.input }));
      },
      retryConfig: { initialDelayMs: 20 },
    } as never)
    .implementJobType({
      typeName: "mail",
      leaseConfig: { leaseMs: 300 },
      process: async ({ complete }: { complete: (output: null) => Promise<never> }) =>
        complete(null),
    } as never);

const common = {
  jobTypeDefinitions: jobTypes,
  worker: worker as never,
  start: ({ queuert, index }: { readonly queuert: unknown; readonly index: number }) =>
    (queuert as Client).startJobSequence({
      ...{ autocommit: true, typeName: "order", input: { index } },
    }),
};

const everything = {
  ...{ typeNames: null, statuses: null, sequenceId: null, rootSequenceId: null },
  ...{ createdFrom: null, createdTo: null, limit: 1_000, afterOrdinal: null },
  order: "asc",
} as const;

describe("torture", () => {
  it("finds nothing in sound job types, in memory", async () => {
    const faults = { kill: 0, freeze: 0, statement: 0, notification: 0 };
    for (let seed = 1; seed <= 10; seed++) {
      const report = await torture({ ...common, seed });
      expect(report.violations, `seed ${seed}`).toEqual([]);
      expect(report.jobs).toBeGreaterThan(40);
      for (const [kind, count] of Object.entries(report.faults)) {
        faults[kind as keyof typeof faults] += count;
      }
    }
    for (const count of Object.values(faults)) expect(count).toBeGreaterThan(0);
  });

  it("does the same again for the same seed", async () => {
    const [first, second] = [
      await torture({ ...common, seed: 7 }),
      await torture({ ...common, seed: 7 }),
    ];
    expect(second).toEqual(first);
  });

  it("runs on a store of the user's", async () => {
    const stateAdapter = createInProcessStateAdapter();
    const report = await torture({ ...common, stateAdapter, starts: 10, seed: 3 });
    expect(report.violations).toEqual([]);
    expect((await stateAdapter.listJobs(everything)).length).toBe(report.jobs);
  });

  it("finds a store that loses outcomes", async () => {
    const sound = createInProcessStateAdapter() as unknown as AnyStateAdapter;
    let lost = 0;
    const stateAdapter: AnyStateAdapter = {
      ...sound,
      completeJobs: async (params) => {
        if (lost++ > 0) return sound.completeJobs(params);
        const now = new Date();
        const results = params.completions.map(() => {
          return { kind: "completed", completedAt: now, continuation: null } as const;
        });
        return { results, unblocked: [] };
      },
      reclaimExpiredLeases: () => Promise.resolve([]),
      acquireJobs: async (params) => {
        const { jobs, ...others } = await sound.acquireJobs(params);
        return { jobs: jobs.filter(({ reclaimedFrom }) => reclaimedFrom === null), ...others };
      },
    };
    const given = { starts: 5, stillMs: 1_000, faults: [] };
    const { violations } = await torture({
      ...{ ...common, ...given },
      stateAdapter: stateAdapter as never,
    });
    expect(violations.map(({ rule }) => rule)).toContain("a committed start reaches an outcome");
  });

  it("reports the rules of the user that are broken", async () => {
    const check = () => Promise.resolve(["a mail for each order"]);
    const { violations } = await torture({ ...common, starts: 2, check });
    expect(violations).toEqual([{ rule: "your own check", detail: "a mail for each order" }]);
  });

  it("reports a run that waits for real time", async () => {
    const check = (): Promise<never> => new Promise(() => undefined);
    const { violations } = await torture({ ...common, starts: 2, check });
    expect(violations.map(({ rule }) => rule)).toEqual(["the run ends"]);
  });

  it("reports workers that do not stop", async () => {
    const unstoppable = (queuert: Client) => {
      Object.assign(queuert, { close: () => new Promise(() => undefined) });
      return worker(queuert);
    };
    const { violations } = await torture({ ...common, starts: 2, worker: unstoppable as never });
    expect(violations.map(({ rule }) => rule)).toEqual(["workers stop"]);
  });

  it("has a planted violation for each rule of its own", () => {
    const text = readFileSync(new URL("../src/kit/torture.ts", import.meta.url), "utf8");
    const rules = [...text.matchAll(/\brule: "([^"]+)"/g)].map(([, rule]) => rule);
    expect(rules.sort()).toEqual(["the run ends", "workers stop", "your own check"]);
  });

  it.each([
    ["seed", { seed: -1 }],
    ["starts", { starts: 0 }],
    ["faults", { faults: ["flood"] }],
    ["worker", { worker: 5 }],
    ["start", { start: null }],
    ["stateAdapter", { stateAdapter: {} }],
    ["colour", { colour: "red" }],
  ])("refuses a wrong %s", async (option, wrong) => {
    await expect(torture({ ...common, ...wrong } as never)).rejects.toMatchObject({
      message: expect.stringContaining(option),
    });
  });
});
