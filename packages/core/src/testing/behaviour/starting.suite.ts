import { expect } from "vitest";
import {
  BlockersMismatchError,
  InvalidOptionError,
  JobNotFoundError,
  NotJsonError,
  StateNotInTransactionError,
  UnknownJobTypeError,
  NotAnEntryJobTypeError,
} from "../../errors.ts";
import { thirtyDaysMs } from "../factories.ts";
import type { BehaviourClient, NewSequence } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { cataloguedJobTypes } from "./definitions.ts";
import { rejection } from "./rejection.ts";

const rollBack = new Error("rolled back on purpose");

/** Starts in a transaction of its own, and sees that nothing has been written when it was refused. */
const refusal = async (
  client: BehaviourClient,
  typeName: string,
  options: object = {},
): Promise<unknown> => {
  // Bad input on purpose: the compiler would refuse most of it.
  const error = await rejection(client.start(typeName, options as NewSequence));
  const { items } = await client.queuert.listJobs();
  expect(items).toEqual([]);
  expect(client.events.of("jobCreated")).toEqual([]);
  return error;
};

export const startingSuite: BehaviourSuite = defineBehaviourSuite("starting", (rule) => {
  rule("a started sequence is its first job, pending and due", async ({ open }) => {
    const client = await open();
    const started = await client.start("task", { input: { n: 1 }, priority: 3 });
    expect(started).toMatchObject({
      typeName: "task",
      status: "pending",
      input: { n: 1 },
      deduplicated: false,
      originId: null,
      rootSequenceId: started.id,
      currentJobId: started.id,
    });
    expect(await client.job(started)).toMatchObject({
      id: started.id,
      sequenceId: started.id,
      sequenceTypeName: "task",
      position: 0,
      priority: 3,
      attempt: 0,
      status: "pending",
      blockers: [],
    });
  });

  rule("many sequences are started at once, and answered in order", async ({ open }) => {
    const client = await open();
    const started = await client.queuert.transaction((context) =>
      client.queuert.startJobSequences({
        ...context,
        sequences: [
          { typeName: "task", input: "a" },
          { typeName: "other", input: "b", priority: 2 },
          { typeName: "task", input: "c", schedule: { afterMs: 60_000 } },
        ],
      }),
    );
    expect(started.map(({ typeName, input }) => [typeName, input])).toEqual([
      ["task", "a"],
      ["other", "b"],
      ["task", "c"],
    ]);
    const { items } = await client.queuert.listJobSequences({ order: "asc" });
    expect(items.map(({ id }) => id)).toEqual(started.map(({ id }) => id));
  });

  rule("starting none at once writes nothing", async ({ open }) => {
    const client = await open();
    const started = await client.queuert.transaction((context) =>
      client.queuert.startJobSequences({ ...context, sequences: [] }),
    );
    expect(started).toEqual([]);
  });

  rule("if one element of many is refused, no sequence is started", async ({ open }) => {
    const client = await open();
    const sequences = [
      { typeName: "task", input: 1 },
      { typeName: "task", input: 2, priority: 0.5 },
    ] as const;
    const error = await rejection(
      client.queuert.transaction((context) =>
        client.queuert.startJobSequences({ ...context, sequences }),
      ),
    );
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a start is rolled back with the user's transaction", async ({ open, userRows }) => {
    const client = await open();
    const error = await rejection(
      client.queuert.transaction(async (context) => {
        await userRows.insert(context, "row");
        await client.startIn(context, "task");
        throw rollBack;
      }),
    );
    expect(error).toBe(rollBack);
    expect(await userRows.list()).toEqual([]);
    expect((await client.queuert.listJobs({ typeName: "task" })).items).toEqual([]);
  });

  rule("a start is committed with the user's writes", async ({ open, userRows }) => {
    const client = await open();
    const { id } = await client.queuert.transaction(async (context) => {
      await userRows.insert(context, "row");
      return client.startIn(context, "task");
    });
    expect(await userRows.list()).toEqual(["row"]);
    expect(await client.job({ id })).toMatchObject({ status: "pending" });
  });

  rule("a started job is seen by its own transaction before the commit", async ({ open }) => {
    const client = await open();
    await client.queuert.transaction(async (context) => {
      const { id } = await client.startIn(context, "task");
      expect(await client.queuert.getJob({ ...context, id })).toMatchObject({ status: "pending" });
    });
  });

  rule("a start outside a transaction is refused", async ({ open, stateAdapter }) => {
    const client = await open();
    const inNone = stateAdapter.provideContext((context) =>
      rejection(client.startIn(context, "task")),
    );
    expect(await inNone).toBeInstanceOf(StateNotInTransactionError);
    expect(await inNone).toMatchObject({
      code: "QUEUERT_NOT_IN_TRANSACTION",
      operation: "startJobSequence",
    });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a start with the context of an ended transaction is refused", async ({ open }) => {
    const client = await open();
    const ended = await client.queuert.transaction((context) => Promise.resolve(context));
    expect(await rejection(client.startIn(ended, "task"))).toBeInstanceOf(Error);
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule(
    "a type that is not in the catalogue is refused, with the nearest names",
    async ({ open }) => {
      const client = await open({ jobTypes: cataloguedJobTypes });
      const error = await refusal(client, "tasks");
      expect(error).toBeInstanceOf(UnknownJobTypeError);
      expect(error).toMatchObject({
        typeName: "tasks",
        message: expect.stringContaining('"task"'),
      });
    },
  );

  rule("a type that only continues cannot start a sequence", async ({ open }) => {
    const client = await open({ jobTypes: cataloguedJobTypes });
    expect(await refusal(client, "next")).toBeInstanceOf(NotAnEntryJobTypeError);
  });

  rule("a value that JSON cannot carry is refused, with its path", async ({ open }) => {
    const client = await open();
    class Money {
      readonly cents = 1;
    }
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const cases: readonly (readonly [unknown, string])[] = [
      [() => 1, "$"],
      [{ a: [1, { b: 1n }] }, "$.a[1].b"],
      [{ "odd key": Symbol("s") }, '$["odd key"]'],
      [{ n: Number.NaN }, "$.n"],
      [[Number.POSITIVE_INFINITY], "$[0]"],
      [{ when: new Date(Number.NaN) }, "$.when"],
      [new Map([[1, 2]]), "$"],
      [{ of: new Set() }, "$.of"],
      [{ price: new Money() }, "$.price"],
      [cyclic, "$.self"],
    ];
    for (const [input, path] of cases) {
      const error = await refusal(client, "task", { input });
      expect(error).toBeInstanceOf(NotJsonError);
      expect(error).toMatchObject({ path, part: "input", typeName: "task" });
    }
  });

  rule("dates, undefined and every kind of JSON are read back as documented", async ({ open }) => {
    const client = await open();
    const cases: readonly (readonly [unknown, unknown])[] = [
      ['top-level text with \u0000, " and ü😀', 'top-level text with \u0000, " and ü😀'],
      [null, null],
      [undefined, null],
      [[], []],
      [0, 0],
      [-0, 0],
      [false, false],
      [{ at: new Date(0), left: undefined }, { at: "1970-01-01T00:00:00.000Z" }],
      [
        [undefined, { __proto__: null, a: 1 }],
        [null, { a: 1 }],
      ],
      [{ deep: { er: [1, [2, [3]]] } }, { deep: { er: [1, [2, [3]]] } }],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      [1e-7, 1e-7],
    ];
    for (const [input, expected] of cases) {
      const { id } = await client.start("task", { input } as NewSequence);
      expect((await client.job({ id })).input).toEqual(expected);
    }
  });

  rule("a schedule without meaning is refused", async ({ open }) => {
    const client = await open();
    const year = 365 * 24 * 60 * 60_000;
    const schedules: readonly unknown[] = [
      { at: new Date(Number.NaN) },
      { at: "2030-01-01" },
      { at: new Date(-1) },
      { at: new Date(Date.UTC(10_000, 1)) },
      { afterMs: -1 },
      { afterMs: Number.NaN },
      { afterMs: Number.POSITIVE_INFINITY },
      { afterMs: 101 * year },
      { afterMs: "5" },
      {},
      { at: new Date(), afterMs: 1 },
    ];
    for (const schedule of schedules) {
      const error = await refusal(client, "task", { schedule });
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect((error as InvalidOptionError).option).toMatch(/^schedule/);
    }
  });

  rule("a priority that is no whole number within bounds is refused", async ({ open }) => {
    const client = await open();
    for (const priority of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 40_000, -40_000, "1"]) {
      expect(await refusal(client, "task", { priority })).toMatchObject({ option: "priority" });
    }
  });

  rule("a deduplication without meaning is refused", async ({ open }) => {
    const client = await open();
    const refused: readonly (readonly [object, string])[] = [
      [{ key: "" }, "deduplication.key"],
      [{ key: 5 }, "deduplication.key"],
      [{ key: "\u0000" }, "deduplication.key"],
      [{ key: "k", strategy: "some" }, "deduplication.strategy"],
      [{ key: "k", windowMs: -1 }, "deduplication.windowMs"],
      [{ key: "k", windowMs: Number.POSITIVE_INFINITY }, "deduplication.windowMs"],
    ];
    for (const [deduplication, option] of refused) {
      expect(await refusal(client, "task", { deduplication })).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option,
      });
    }
  });

  rule("a type name that is no name is refused", async ({ open }) => {
    const client = await open();
    for (const typeName of ["", "a\u0000b"]) {
      expect(await refusal(client, typeName)).toMatchObject({ option: "typeName" });
    }
  });

  rule("missing and surplus blockers are refused", async ({ open }) => {
    const client = await open({ jobTypes: cataloguedJobTypes });
    expect(await refusal(client, "waiting")).toBeInstanceOf(BlockersMismatchError);
    const none = { startBlockers: () => Promise.resolve([]) };
    expect(await refusal(client, "task", none)).toBeInstanceOf(BlockersMismatchError);
    const nothing = { startBlockers: () => Promise.resolve(undefined) };
    expect(await refusal(client, "waiting", nothing)).toBeInstanceOf(BlockersMismatchError);
    const noFunction = { startBlockers: [] };
    expect(await refusal(client, "waiting", noFunction)).toMatchObject({ option: "startBlockers" });
  });

  rule("a blocker that does not exist is refused by its id", async ({ open, stateAdapter }) => {
    const client = await open();
    let absent = "";
    await rejection(
      client.queuert.transaction(async (context) => {
        absent = (await client.startIn(context, "task")).id;
        throw rollBack;
      }),
    );
    const error = await refusal(client, "waiting", {
      startBlockers: () => Promise.resolve([{ id: absent, typeName: "task" }]),
    });
    expect(error).toBeInstanceOf(JobNotFoundError);
    expect(error).toMatchObject({ jobId: absent });
    expect(await stateAdapter.getJobs({ ids: [absent] })).toEqual([undefined]);
  });

  rule("the options of a worker are checked before it starts", async ({ open }) => {
    const { queuert } = await open({ jobTypes: cataloguedJobTypes });
    const process = () => Promise.reject(new Error("never run"));
    const implement = (options: object) =>
      // Bad input on purpose.
      rejection((async () => queuert.createWorker().implementJobType(options as never))());
    const codes = async (options: object): Promise<unknown> =>
      implement({ typeName: "task", process, ...options });

    expect(await codes({ typeName: "tsak" })).toMatchObject({ code: "QUEUERT_UNKNOWN_JOB_TYPE" });
    for (const options of [
      { process: undefined },
      { leaseConfig: { leaseMs: 0 } },
      { leaseConfig: { leaseMs: Number.NaN } },
      { leaseConfig: { leaseMs: 100, renewIntervalMs: 100 } },
      { leaseConfig: { leaseMs: 100, renewIntervalMs: -1 } },
      { timeoutMs: 0 },
      { timeoutMs: Number.POSITIVE_INFINITY },
      { concurrency: 0 },
      { concurrency: 1.5 },
      { retryConfig: { maxAttempts: 0 } },
      { retryConfig: { initialDelayMs: -1 } },
      { retryConfig: { maxDelayMs: Number.NaN } },
      { retryConfig: { multiplier: 0.5 } },
      { retryConfig: { jitter: "some" } },
      { retryConfig: { delayMs: 5 } },
      { middleware: [undefined] },
    ]) {
      expect(await codes(options), JSON.stringify(options)).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
    const unlimited = { maxAttempts: Number.POSITIVE_INFINITY, delayMs: undefined };
    queuert.createWorker().implementJobType({ typeName: "task", process, retryConfig: unlimited });
    const worker = queuert.createWorker().implementJobType({ typeName: "task", process });
    const twice = (async () => worker.implementJobType({ typeName: "task", process } as never))();
    expect(await rejection(twice)).toMatchObject({ code: "QUEUERT_DUPLICATE_JOB_TYPE" });
    expect(await rejection(queuert.createWorker().start())).toMatchObject({
      code: "QUEUERT_EMPTY_WORKER",
    });
    for (const options of [
      { workerId: "" },
      { concurrency: 0 },
      { concurrency: 20_000 },
      { concurrency: Number.NaN },
      { pollIntervalMs: 0 },
      { pollIntervalMs: Number.POSITIVE_INFINITY },
      { prefetch: -1 },
      { reapIntervalMs: -5 },
      { shutdownGraceMs: Number.NaN },
      { shutdownTimeoutMs: -1 },
    ]) {
      expect(await rejection(worker.start(options)), JSON.stringify(options)).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
  });

  rule("a date thirty days ahead is stored to the millisecond", async ({ open }) => {
    const client = await open();
    const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 + thirtyDaysMs + 7);
    const { id } = await client.start("task", { schedule: { at } });
    expect((await client.job({ id })).scheduledAt).toEqual(at);
  });

  rule("after close every call is refused", async ({ open }) => {
    const client = await open();
    await client.queuert.close();
    expect(await rejection(client.start("task"))).toMatchObject({ code: "QUEUERT_CLOSED" });
    expect(await rejection(client.queuert.listJobs())).toMatchObject({ code: "QUEUERT_CLOSED" });
  });
});
