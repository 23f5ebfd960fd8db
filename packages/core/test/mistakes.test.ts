// What JavaScript, or a cast, lets through: that it is refused by the name of the mistake, and not ignored.
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import type { DefineBlocker } from "queuert";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const jobTypeDefinitions = defineUnionJobTypes<{
  task: { input: null; output: null };
  report: { input: null; output: null; blockers: [DefineBlocker<"task">] };
}>();

const open = () =>
  createQueuert({ stateAdapter: createInProcessStateAdapter(), jobTypeDefinitions });

let queuert: Awaited<ReturnType<typeof open>>;
beforeEach(async () => {
  queuert = await open();
});
afterEach(() => queuert.close());

// Bad input on purpose: the compiler refuses all of it.
const started = (options: object): Promise<unknown> =>
  queuert.transaction((context) =>
    queuert.startJobSequence({ ...context, typeName: "task", input: null, ...options } as never),
  );
const worker = (options: object) =>
  queuert.createWorker().implementJobType({
    typeName: "task",
    process: async ({ complete }: { complete: (output: null) => Promise<never> }) => complete(null),
    ...options,
  } as never);

describe("a misspelt option", () => {
  const calls: readonly [name: string, call: () => Promise<unknown>, says: string][] = [
    [
      "a start",
      () => started({ shedule: { afterMs: 1 } }),
      "`shedule` is an object: the option is called `schedule`",
    ],
    [
      "deduplication",
      () => started({ deduplication: { key: "k", windowsMs: 1 } }),
      "`deduplication.windowsMs` is 1: the option is called `windowMs`",
    ],
    [
      "one of many starts",
      () =>
        queuert.transaction((context) =>
          queuert.startJobSequences({
            ...context,
            sequences: [{ typeName: "task", input: null, priorty: 1 }],
          } as never),
        ),
      "called `priority`",
    ],
    ["a list", () => queuert.listJobs({ statuses: "failed" } as never), "called `status`"],
    [
      "a retry policy",
      async () => worker({ retryConfig: { maxAttemps: 3 } }),
      "`retryConfig.maxAttemps` is 3: the option is called `maxAttempts`",
    ],
    ["a lease", async () => worker({ leaseConfig: { leasMs: 3 } }), "called `leaseMs`"],
    ["a job type", async () => worker({ timeoutMS: 3 }), "called `timeoutMs`"],
    ["a worker", () => worker({}).start({ concurency: 3 } as never), "called `concurrency`"],
    [
      "a retention",
      () => queuert.deleteFinishedJobSequences({ completedFor: 3, completedForms: 1 } as never),
      "called `completedForMs`",
    ],
    [
      "a wait",
      () =>
        queuert.waitForJobSequenceCompletion({
          typeName: "task",
          id: "x",
          timeoutMs: 1,
          pollIntervallMs: 2,
        } as never),
      "called `pollIntervalMs`",
    ],
    [
      "a client",
      () =>
        createQueuert({
          stateAdapter: createInProcessStateAdapter(),
          jobTypeDefinitions,
          notifyAdaptor: {},
        } as never),
      "called `notifyAdapter`",
    ],
  ];

  it.each(calls)("of %s is refused, with the right name", async (_name, call, says) => {
    await expect(call()).rejects.toMatchObject({ code: "QUEUERT_INVALID_OPTION" });
    await expect(call()).rejects.toThrow(says);
  });

  it("is not what only looks like one beside the right one, or is far from all", async () => {
    await expect(
      started({ schedules: 1, schedule: { afterMs: 0 }, tenant: "a" }),
    ).resolves.toBeDefined();
    await expect(started({ schedule: undefined, shedule: undefined })).resolves.toBeDefined();
  });

  it("is refused again after a call in which the name was in order", async () => {
    await started({ statuses: 1 });
    await expect(queuert.listJobs({ statuses: "failed" } as never)).rejects.toThrow(
      "called `status`",
    );
  });
});

describe("what startBlockers answers", () => {
  const blockedBy = (answer: () => unknown) =>
    started({ typeName: "report", startBlockers: async () => answer() });

  it.each([
    ["nothing", () => undefined, "but got undefined"],
    ["an id", () => ["some-id"], "but got a string of 7 characters at [0]"],
    [
      "a start that was not awaited",
      () => [Promise.resolve({ id: "some-id", typeName: "task" })],
      "but got a promise that was not awaited at [0]",
    ],
  ])("is refused when it is %s", async (_name, answer, says) => {
    await expect(blockedBy(answer)).rejects.toMatchObject({ code: "QUEUERT_BLOCKERS_MISMATCH" });
    await expect(blockedBy(answer)).rejects.toThrow(says);
  });
});

it("an adapter that was not awaited is called that", async () => {
  const stateAdapter = Promise.resolve(createInProcessStateAdapter());
  const opening = createQueuert({ stateAdapter, jobTypeDefinitions } as never);
  await expect(opening).rejects.toThrow("`stateAdapter` is a promise that was not awaited");
});
