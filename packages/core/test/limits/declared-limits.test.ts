// Limits that are declared in code, over one store and clients of several revisions.
import {
  createInProcessStateAdapter,
  createQueuert,
  defineUnionJobTypes,
  type LimitsOptions,
} from "queuert";
import { expect, it } from "vitest";

type Types = { task: { input: null; output: null }; other: { input: null; output: null } };
const jobTypeDefinitions = defineUnionJobTypes<Types>();
const catalogued = defineUnionJobTypes<Types>({
  task: { entry: true },
  other: { entry: true },
});

const stored = async (
  stateAdapter: ReturnType<typeof createInProcessStateAdapter>,
  limits: LimitsOptions<Types>,
) => {
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, limits });
  const [limit] = await queuert.getLimits();
  await queuert.close();
  return limit;
};

it("writes declared limits that have changed, and keeps changes at run time", async () => {
  const stateAdapter = createInProcessStateAdapter();
  const first: LimitsOptions<Types> = { declared: { task: { concurrency: 2 } }, revision: 1 };
  expect(await stored(stateAdapter, first)).toMatchObject({
    ...{ name: "task", concurrency: 2, isDeclared: true, revision: 1 },
  });
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions });
  await queuert.setLimits({ limits: [{ name: "task", concurrency: 7 }] });
  await queuert.close();
  expect(await stored(stateAdapter, first)).toMatchObject({ concurrency: 7, revision: 1 });
  const second: LimitsOptions<Types> = { declared: { task: { concurrency: 3 } }, revision: 2 };
  expect(await stored(stateAdapter, second)).toMatchObject({ concurrency: 3, revision: 2 });
  expect(await stored(stateAdapter, first)).toMatchObject({ concurrency: 3, revision: 2 });
});

it("fills in the burst of a rate", async () => {
  const rate = { count: 100, perMs: 1_000 };
  const limit = await stored(createInProcessStateAdapter(), { declared: { task: { rate } } });
  expect(limit?.rate).toEqual({ ...rate, burst: 5 });
});

it.each([
  [{ declared: { task: { concurrency: -1 } } }, "QUEUERT_INVALID_LIMIT"],
  [{ declared: { unknown: { concurrency: 1 } } }, "QUEUERT_UNKNOWN_LIMIT"],
  [{ declared: { task: 5 } }, "QUEUERT_INVALID_LIMIT"],
  [{ declared: 5 }, "QUEUERT_INVALID_OPTION"],
  [{ declared: {}, revision: -1 }, "QUEUERT_INVALID_OPTION"],
  [{ decalred: {} }, "QUEUERT_INVALID_OPTION"],
])("refuses %j", async (limits, code) => {
  const stateAdapter = createInProcessStateAdapter();
  const options = { stateAdapter, jobTypeDefinitions: catalogued, limits: limits as never };
  await expect(createQueuert(options)).rejects.toMatchObject({ code });
  expect(await stateAdapter.getLimits({ names: null })).toEqual([]);
});
