import { readFileSync } from "node:fs";

const guide = readFileSync(new URL("../../ADAPTERS.md", import.meta.url), "utf8");

/** The files that the guide for authors prints, by the name in their first line. */
const guideFiles = Object.fromEntries(
  [...guide.matchAll(/```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)```/g)].map(([, name, text]) => [
    name,
    text,
  ]),
) as Readonly<Record<string, string>>;

/** An adapter of another author: thin, but complete. */
const adapter = `
import { createInProcessStateAdapter, type StateAdapter } from "queuert";

export interface ShelfContext {
  readonly shelf: string;
}

/** Keeps jobs "on a shelf": delegates to the in-process store, in contexts of its own. */
export const createShelfStateAdapter = (): StateAdapter<ShelfContext, ShelfContext, string> => {
  const store = createInProcessStateAdapter() as unknown as StateAdapter<ShelfContext, ShelfContext, string>;
  const shelf = { shelf: "first" };
  return {
    ...store,
    runInTransaction: (callback) => store.runInTransaction((context) => callback({ ...context, ...shelf })),
    provideContext: (callback) => store.provideContext((context) => callback({ ...context, ...shelf })),
    // Broken on purpose where a test asks for it.
    renewLeases: (params) =>
      process.env["BROKEN_SHELF"] === undefined
        ? store.renewLeases(params)
        : Promise.resolve(params.leases.map(() => ({ kind: "held" }) as const)),
  };
};
`;

const test = `
import {
  extendWithCommon,
  extendWithNotifyInProcess,
  extendWithState,
  notifyAdapterTestSuite,
  stateAdapterTestSuite,
  stateModelTestSuite,
  type TestSuiteContext,
} from "queuert/testing";
import { it as vitestIt, type TestAPI } from "vitest";
import { createShelfStateAdapter } from "./shelf.ts";

const it = extendWithNotifyInProcess(
  extendWithState(extendWithCommon(vitestIt), () =>
    Promise.resolve({
      stateAdapter: createShelfStateAdapter(),
      close: () => Promise.resolve(),
    }),
  ),
);

const rule = process.env["SHELF_GAP"];
stateAdapterTestSuite({ it, gaps: rule === undefined ? [] : [{ rule, reason: "for the test" }] });

const shelfTestSuite = ({ it }: { it: TestAPI<TestSuiteContext> }): void => {
  it("hands out its shelf", async ({ runInTransaction, notifyAdapter, expect }) => {
    expect(await runInTransaction(async (context) => context)).toMatchObject({ shelf: "first" });
    await notifyAdapter.notifyJobScheduled([]);
  });
};

if (process.env["BROKEN_SHELF"] === undefined && rule === undefined) {
  shelfTestSuite({ it });
  stateModelTestSuite({ it, runs: 10 });
  notifyAdapterTestSuite({ it, hints: true, network: false });
}
`;

const faults = `
import { torture } from "@queuert/torture";
import { defineUnionJobTypes } from "queuert";
import { expect, it } from "vitest";
import { createShelfStateAdapter } from "./shelf.ts";

const jobTypeDefinitions = defineUnionJobTypes<{ report: { input: { index: number }; output: null } }>();

it.each([1, 2, 3])("keeps its promises under faults: seed %i", async (seed) => {
  const report = await torture({
    jobTypeDefinitions,
    stateAdapter: createShelfStateAdapter(),
    worker: (queuert) =>
      queuert.createWorker().implementJobType({
        typeName: "report",
        leaseConfig: { leaseMs: 300 },
        process: async ({ job, complete }) => {
          if (job.input.index % 4 === job.attempt) throw new Error("fails on purpose");
          return complete(null);
        },
      }),
    start: ({ queuert, index }) =>
      queuert.startJobSequence({ autocommit: true, typeName: "report", input: { index } }),
    starts: 15,
    seed,
  });
  expect(report.violations).toEqual([]);
  expect(report.jobs).toBeGreaterThan(10);
}, 60_000);
`;

const tsconfig = JSON.stringify({
  compilerOptions: {
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    moduleResolution: "nodenext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ["*.ts"],
});

export const outsideFiles: Readonly<Record<string, string>> = {
  ...guideFiles,
  "shelf.ts": adapter,
  "shelf.test.ts": test,
  "torture.test.ts": faults,
  "tsconfig.json": tsconfig,
};
