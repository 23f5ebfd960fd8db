import { expect } from "vitest";
import { defaults, limits } from "../../defaults.ts";
import { LimitExceededError } from "../../errors.ts";
import type { JsonValue } from "../../job-types/json.ts";
import type { BehaviourClient, NewSequence } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

const mebi = 2 ** 20;

/** A text whose JSON has this many bytes, with its quotes. */
const ofBytes = (bytes: number): string => "x".repeat(bytes - 2);

/** A call with something over its limit: it is refused by that field, and nothing is written. */
const expectRefused = async (
  client: BehaviourClient,
  call: Promise<unknown>,
  expected: { readonly field: string; readonly limit: number; readonly actual: number },
): Promise<void> => {
  const error = await rejection(call);
  expect(error).toBeInstanceOf(LimitExceededError);
  expect(error).toMatchObject({ code: "QUEUERT_LIMIT_EXCEEDED", ...expected });
  const { message } = error as Error;
  for (const part of [expected.field, expected.limit, expected.actual]) {
    expect(message).toContain(String(part));
  }
  expect(message.length).toBeLessThan(500);
  expect((await client.queuert.listJobs({ limit: 1 })).items).toEqual([]);
};

const startMany = (
  { queuert, transact }: BehaviourClient,
  sequences: readonly { readonly typeName: "task"; readonly input: JsonValue }[],
): Promise<readonly { readonly id: string }[]> =>
  transact((context) => queuert.startJobSequences({ ...context, sequences }));

const aTask = { typeName: "task", input: null } as const;

export const limitingSuite: BehaviourSuite = defineBehaviourSuite("limiting", (rule) => {
  rule("an input of the most bytes is stored, and one byte more is refused", async ({ open }) => {
    const client = await open();
    const limit = defaults.payloadBytesMax;
    const refused: readonly (readonly [JsonValue, number])[] = [
      [ofBytes(limit + 1), limit + 1],
      // Bytes are counted, not characters.
      ["漢".repeat(limit / 2), 3 * (limit / 2) + 2],
    ];
    for (const [input, actual] of refused) {
      const start = client.start("task", { input });
      await expectRefused(client, start, { field: "input", limit, actual });
      const many = startMany(client, [aTask, { typeName: "task", input }]);
      await expectRefused(client, many, { field: "input", limit, actual });
    }
    const input = ofBytes(limit);
    const started = await client.start("task", { input });
    expect(await client.sequence(started)).toMatchObject({ input });
  });

  rule("the option `payloadBytesMax` moves the limit of payloads", async ({ open }) => {
    const small = await open({ payloadBytesMax: 100 });
    const error = { field: "input", limit: 100, actual: 101 };
    await expectRefused(small, small.start("task", { input: ofBytes(101) }), error);
    const large = await open({ payloadBytesMax: 3 * mebi });
    const input = ofBytes(3 * mebi);
    const started = await large.start("task", { input });
    // A client with a lower limit runs the job all the same.
    await small.work({ task: async ({ job, complete }) => complete(String(job.input).length) });
    expect(await small.until(started)).toMatchObject({ output: input.length });
    for (const payloadBytesMax of [0, 1.5, limits.payloadBytesMax + 1, "1 MiB"]) {
      expect(await rejection(open({ payloadBytesMax: payloadBytesMax as number }))).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option: "payloadBytesMax",
      });
    }
  });

  rule("an output over the limit fails the job at once", async ({ open, userRows }) => {
    const client = await open({ payloadBytesMax: 1_000 });
    const ends = {
      value: await client.start("task", { input: "value" }),
      callback: await client.start("task", { input: "callback" }),
      continuation: await client.start("first"),
    };
    const retryConfig = { maxAttempts: Number.POSITIVE_INFINITY, initialDelayMs: 1 };
    const output = ofBytes(1_001);
    await client.work({
      task: {
        retryConfig,
        process: async ({ job, complete }) =>
          job.input === "value"
            ? complete(output)
            : complete(async (context) => {
                await userRows.insert(context, "row");
                return output;
              }),
      },
      first: {
        retryConfig,
        process: async ({ complete }) => complete.continueWith({ typeName: "next", input: output }),
      },
    });
    for (const [name, field] of [
      ["value", "output"],
      ["callback", "output"],
      ["continuation", "input"],
    ] as const) {
      await client.until(ends[name], "failed");
      expect(await client.job(ends[name]), name).toMatchObject({
        attempt: 1,
        lastAttemptError: expect.stringContaining(`\`${field}\` of job type`),
      });
    }
    expect(await userRows.list()).toEqual([]);
  });

  rule(
    "an output over the limit leaves a sequence without a worker as it was",
    async ({ open }) => {
      const client = await open({ payloadBytesMax: 1_000 });
      const started = await client.start("task");
      const completing = client.transact(async (context) => {
        const call = client.queuert.completeJobSequence({
          ...context,
          typeName: "task",
          id: started.id,
          complete: async ({ job, complete }) => complete(job, async () => ofBytes(1_001)),
        });
        // Caught, and the transaction commits.
        return rejection(call);
      });
      expect(await completing).toMatchObject({ field: "output", limit: 1_000, actual: 1_001 });
      expect(await client.sequence(started)).toMatchObject({ status: "pending" });
    },
  );

  rule("more elements than a call may have are refused", async ({ open }) => {
    const client = await open();
    const limit = limits.callElementsMax;
    for (const actual of [limit + 1, 1_000_000]) {
      let readCount = 0;
      const tasks = Array.from({ length: actual }, () => aTask);
      const sequences = new Proxy(tasks, {
        get: (array, key, receiver) => {
          if (typeof key === "string" && key !== "length") readCount += 1;
          return Reflect.get(array, key, receiver) as unknown;
        },
      });
      const call = startMany(client, sequences);
      await expectRefused(client, call, { field: "sequences", limit, actual });
      expect(readCount).toBe(0);
    }
    const actual = limit + 1;
    const ids = Array.from({ length: actual }, () => "id");
    const { queuert, transact } = client;
    await expectRefused(client, queuert.retryFailedJobs({ ids }), { field: "ids", limit, actual });
    await expectRefused(client, queuert.triggerJobs({ ids }), { field: "ids", limit, actual });
    await expectRefused(
      client,
      transact((context) => queuert.deleteJobSequences({ ...context, rootSequenceIds: ids })),
      { field: "rootSequenceIds", limit, actual },
    );
    const typeName = ids as never[];
    await expectRefused(client, queuert.listJobs({ typeName }), {
      field: "typeName",
      limit,
      actual,
    });
  });

  rule("the most elements that a call may have are stored and deleted", async ({ open }) => {
    const client = await open();
    const count = limits.callElementsMax;
    const started = await startMany(
      client,
      Array.from({ length: count }, () => aTask),
    );
    const ids = started.map(({ id }) => id);
    expect(new Set(ids).size).toBe(count);
    const triggered = await client.queuert.triggerJobs({ ids });
    expect(triggered.every((one) => one.triggered)).toBe(true);
    const deleted = await client.transact((context) =>
      client.queuert.deleteJobSequences({ ...context, rootSequenceIds: ids }),
    );
    expect(deleted).toEqual({ jobCount: count });
  });

  rule("the inputs of one call are limited together", async ({ open }) => {
    const client = await open({ payloadBytesMax: limits.payloadBytesMax });
    const input = ofBytes(14 * mebi);
    const sequences = Array.from({ length: 10 }, () => ({ typeName: "task", input }) as const);
    await expectRefused(client, startMany(client, sequences), {
      field: "sequences",
      limit: limits.callCharactersMax,
      // The inputs after the first five are not serialised.
      actual: 5 * 14 * mebi,
    });
  });

  rule("more blockers than a job may have are refused, caught or not", async ({ open }) => {
    const client = await open();
    const actual = limits.blockersMax + 1;
    const startWaiting = (context: object): Promise<unknown> =>
      client.startIn(context, "waiting", {
        startBlockers: async () =>
          client.queuert.startJobSequences({
            ...context,
            sequences: Array.from({ length: actual }, () => aTask),
          }),
      });
    const expected = { field: "blockers", limit: limits.blockersMax, actual };
    await expectRefused(client, client.transact(startWaiting), expected);
    // Caught, and the transaction commits.
    const caught = await client.transact((context) => rejection(startWaiting(context)));
    await expectRefused(client, Promise.reject(caught as Error), expected);
  });

  rule("the blockers of one call are limited together", async ({ open }) => {
    const client = await open();
    const calls = Math.floor(limits.callElementsMax / limits.blockersMax) + 1;
    const blocker = await client.start("other");
    const blockers = Array.from({ length: limits.blockersMax }, () => blocker);
    const call = client.transact((context) =>
      client.queuert.startJobSequences({
        ...context,
        sequences: Array.from({ length: calls }, () => ({
          typeName: "waiting",
          input: null,
          startBlockers: () => Promise.resolve(blockers),
        })) as never,
      }),
    );
    expect(await rejection(call)).toMatchObject({
      code: "QUEUERT_LIMIT_EXCEEDED",
      field: "blockers",
      limit: limits.callElementsMax,
      actual: calls * limits.blockersMax,
    });
    expect((await client.queuert.listJobs()).items).toHaveLength(1);
  });

  rule("the most blockers that a job may have release it", async ({ open }) => {
    const client = await open();
    const waiting = await client.transact((context) =>
      client.startIn(context, "waiting", {
        startBlockers: async () =>
          client.queuert.startJobSequences({
            ...context,
            sequences: Array.from({ length: limits.blockersMax }, () => aTask),
          }),
      }),
    );
    await client.work(
      {
        task: async ({ complete }) => complete(null),
        waiting: async ({ job, complete }) => complete(job.blockers.length),
      },
      { concurrency: 100 },
    );
    expect(await client.until(waiting)).toMatchObject({ output: limits.blockersMax });
  });

  rule("names that are too long are refused by their length", async ({ open }) => {
    const client = await open();
    const limit = limits.nameLengthMax;
    const long = "x".repeat(limit + 1);
    const actual = limit + 1;
    const { queuert } = client;
    const process = (async () => undefined) as never;
    const implement = (typeName: string) =>
      queuert.createWorker().implementJobType({ typeName: typeName as "task", process });
    const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["typeName", () => client.start(long)],
      ["id", () => queuert.getJob({ id: long })],
      ["ids", () => queuert.triggerJobs({ ids: [long] })],
      ["typeName", async () => implement(long)],
      ["workerId", () => implement("task").start({ workerId: long })],
    ];
    for (const [field, call] of calls) {
      await expectRefused(client, call(), { field, limit, actual });
    }
    const keyLimit = limits.deduplicationKeyLengthMax;
    const deduplication = (length: number): NewSequence => ({
      deduplication: { key: "漢".repeat(length) },
    });
    await expectRefused(client, client.start("task", deduplication(keyLimit + 1)), {
      field: "deduplication.key",
      limit: keyLimit,
      actual: keyLimit + 1,
    });
    // The longest names are stored and found, in bytes of UTF-8 as well.
    const typeName = "漢".repeat(limit);
    const first = await client.start(typeName, deduplication(keyLimit));
    const second = await client.start(typeName, deduplication(keyLimit));
    expect(second).toMatchObject({ id: first.id, deduplicated: true });
  });

  rule("a worker runs the most job types that it may have, and no more", async ({ open }) => {
    const client = await open();
    const process = async ({ complete }: { complete: (output: null) => Promise<never> }) =>
      complete(null);
    const names = Array.from({ length: limits.workerTypesMax + 1 }, (_, index) => `type-${index}`);
    const processes = (typeNames: readonly string[]) =>
      Object.fromEntries(typeNames.map((name) => [name, process])) as object;
    await expectRefused(client, client.work(processes(names)), {
      field: "jobTypes",
      limit: limits.workerTypesMax,
      actual: limits.workerTypesMax + 1,
    });
    const most = names.slice(0, limits.workerTypesMax);
    const started = [];
    for (const name of [most[0], most.at(-1)]) started.push(await client.start(String(name)));
    await client.work(processes(most), { pollIntervalMs: 1_000 });
    for (const one of started) await client.until(one);
  });
});
