// Mistakes that JavaScript, or a cast, lets through. Each is refused by the name of the mistake,
// and not ignored.
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

  it("is refused beside the right one", async () => {
    await expect(started({ schedules: 1, schedule: { afterMs: 0 } })).rejects.toThrow(
      "called `schedule`",
    );
  });

  it("may be undefined", async () => {
    await expect(started({ schedule: undefined, shedule: undefined })).resolves.toBeDefined();
  });
});

describe("an unknown option", () => {
  const calls: readonly [name: string, call: () => Promise<unknown>][] = [
    ["a start", () => started({ tenant: "a" })],
    ["a list", () => queuert.listJobs({ tenant: "a", where: {} } as never)],
    ["a read", () => queuert.getJob({ id: "x", tenant: "a" } as never)],
    ["a job type", async () => worker({ tenant: "a" })],
    ["a worker", () => worker({}).start({ tenant: "a" } as never)],
    [
      "one of many starts",
      () =>
        queuert.startJobSequences({
          autocommit: true,
          sequences: [{ typeName: "task", input: null, tenant: "a" }],
        } as never),
    ],
    [
      "a client",
      () =>
        createQueuert({
          stateAdapter: createInProcessStateAdapter(),
          jobTypeDefinitions,
          tenant: "a",
        } as never),
    ],
  ];

  it.each(calls)("of %s is refused by its name", async (_name, call) => {
    await expect(call()).rejects.toMatchObject({ option: "tenant" });
    await expect(call()).rejects.toThrow("no option has this name; the options are");
  });

  it("is refused as a context that the provider does not declare", async () => {
    await expect(queuert.listJobs({ where: {} } as never)).rejects.toMatchObject({
      option: "where",
    });
  });

  it("is refused once the provider has shown the keys of its contexts", async () => {
    const { capabilities, ...methods } = createInProcessStateAdapter();
    const { contextKeys: _, ...undeclared } = capabilities;
    const stateAdapter = { ...methods, capabilities: undeclared };
    const client = await createQueuert({ stateAdapter, jobTypeDefinitions });
    // A start in a transaction of the user's own may be the first call.
    const task = { typeName: "task", input: null } as const;
    await stateAdapter.runInTransaction((context) =>
      client.startJobSequence({ ...context, ...task }),
    );
    await expect(client.listJobs({ where: "a" } as never)).rejects.toMatchObject({
      option: "where",
    });
    await expect(client.listJobs({ sequenceIds: {} } as never)).rejects.toThrow(
      "called `sequenceId`",
    );
    await client.transaction(async () => undefined);
    await expect(client.listJobs({ where: {} } as never)).rejects.toMatchObject({
      option: "where",
    });
    await client.transaction((context) => client.startJobSequence({ ...context, ...task }));
    await client.close();
  });
});

describe("a whole entity", () => {
  it("identifies its job or sequence: its other fields are known", async () => {
    const done = await worker({}).start();
    const started = await queuert.startJobSequence({
      autocommit: true,
      typeName: "task",
      input: null,
    });
    const completed = await queuert.waitForJobSequenceCompletion({ ...started, timeoutMs: 5_000 });
    await done();
    expect(await queuert.getJobSequence(started)).toEqual(completed);
    expect(await queuert.getJobSequence(completed)).toEqual(completed);
    const job = await queuert.getJob({ id: started.id });
    expect(job).toMatchObject({ status: "completed" });
    expect(await queuert.getJob(job as NonNullable<typeof job>)).toEqual(job);
  });

  it("adds none of its fields to the options of the message", async () => {
    await expect(queuert.getJob({ id: "x", tenant: "a" } as never)).rejects.toThrow(
      "the options are `id`, `typeName`, `transaction`.",
    );
  });

  it("does not make a misspelt option pass", async () => {
    await expect(
      queuert.waitForJobSequenceCompletion({ id: "x", typeName: "task", timeOutMs: 1 } as never),
    ).rejects.toThrow("called `timeoutMs`");
  });
});
