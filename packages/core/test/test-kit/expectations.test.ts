// The parts that an author of tests sees: expectations, durations, and refusals of wrong options.
import {
  assertNotStarted,
  assertStarted,
  createTestQueuert,
  type QueuertMatchers,
  queuertMatchers,
} from "queuert/test";
import { createInProcessStateAdapter, defineUnionJobTypes } from "queuert";
import { expect, it, onTestFinished, vi } from "vitest";
import { describeMs, toMs } from "../../src/test-kit/duration.ts";

declare module "vitest" {
  // The type parameter has to have the name that Vitest gave it.
  interface Matchers<T> extends QueuertMatchers<T> {}
}

expect.extend(queuertMatchers);

const jobTypes = defineUnionJobTypes<{
  mail: { input: { to: string; at?: Date }; output: null };
  audit: { input: null; output: null };
}>();

const open = async () => {
  const test = await createTestQueuert({
    jobTypeDefinitions: jobTypes,
    workers: [
      (queuert) =>
        queuert
          .createWorker()
          .implementJobType({ typeName: "mail", process: async ({ complete }) => complete(null) }),
    ],
  });
  onTestFinished(() => test.close());
  return test;
};

const startTwo = async (test: Awaited<ReturnType<typeof open>>): Promise<void> => {
  await test.queuert.startJobSequences({
    autocommit: true,
    sequences: [
      { typeName: "mail", input: { to: "ada" }, schedule: { afterMs: 3_600_000 } },
      { typeName: "audit", input: null },
    ],
  });
};

it("compares starts by a part of their input, their delay and their number", async () => {
  const test = await open();
  await startTwo(test);
  await expect(test).toHaveStarted("mail");
  await expect(test).toHaveStarted("mail", {
    input: { to: expect.any(String) as unknown },
    scheduledIn: { hours: 1 },
    times: 1,
  });
  await expect(test).not.toHaveStarted("mail", { input: { to: "bob" } });
  await expect(test).not.toHaveStarted("mail", { times: 2 });
  await assertStarted(test, "audit", { input: null });
  await assertNotStarted(test, "audit", { scheduledIn: { minutes: 1 } });
});

it("names the starts that it found", async () => {
  const test = await open();
  await expect(assertStarted(test, "mail")).rejects.toThrow(
    'Expected a start of "mail".\nStarted: nothing',
  );
  await startTwo(test);
  await expect(assertStarted(test, "mail", { input: { to: "bob" } })).rejects.toThrow(
    'Expected a start of "mail" with input {"to":"bob"}.\n' +
      'Started: mail {"to":"ada"} in 1 h\n         audit null now',
  );
  await expect(assertNotStarted(test, "mail", { times: 1 })).rejects.toThrow(
    'Expected no start of "mail" 1 times, and found 1.',
  );
});

it("lists starts of a type, of this test alone", async () => {
  const test = await open();
  await startTwo(test);
  const started = await test.started("mail");
  expect(started).toMatchObject([{ id: "job-1", input: { to: "ada" }, status: "pending" }]);
  const later = await createTestQueuert({
    jobTypeDefinitions: jobTypes,
    stateAdapter: createInProcessStateAdapter(),
  });
  expect(await later.started()).toEqual([]);
  await expect(later.advance({ days: 1 })).rejects.toThrow("give `createTestQueuert` the option");
  await later.close();
});

it("loses notifications until it is told to stop", async () => {
  const test = await open();
  const worker = await test.queuert
    .createWorker()
    .implementJobType({ typeName: "audit", process: async ({ complete }) => complete(null) })
    .start({ pollIntervalMs: 60_000 });
  const start = async (): Promise<string> => {
    const options = { autocommit: true, typeName: "audit", input: null } as const;
    const { id } = await test.queuert.startJobSequence(options);
    return id;
  };
  const wait = (id: string) =>
    test.queuert.waitForJobSequenceCompletion({ id, typeName: "audit", timeoutMs: 5_000 });
  await wait(await start());
  const found = test.loseNotifications();
  const lost = await start();
  expect(await test.queuert.getJob({ id: lost })).toMatchObject({ status: "pending" });
  found();
  // The notification of the second brings the worker to both.
  await wait(await start());
  await wait(lost);
  await worker.stop();
});

it("reads durations, and describes them", () => {
  expect(toMs({ days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 }, "x")).toBe(
    93_784_005,
  );
  expect(toMs(7, "x")).toBe(7);
  expect(() => toMs(-1, "skipTime")).toThrow("Option `skipTime` is -1");
  expect(() => toMs({ weeks: 1 } as never, "skipTime")).toThrow("no option has this name");
  expect(() => toMs({ days: "1" } as never, "skipTime")).toThrow("`skipTime.days`");
  expect([0, 999, 5_400_000, 172_800_000].map(describeMs)).toEqual([
    "0 ms",
    "999 ms",
    "1.5 h",
    "2 d",
  ]);
});

it("refuses wrong options by name", async () => {
  const given = { jobTypeDefinitions: jobTypes };
  await expect(createTestQueuert({ ...given, workers: [() => ({})] as never })).rejects.toThrow(
    "not started",
  );
  await expect(createTestQueuert({ ...given, timeTravel: {} as never })).rejects.toThrow(
    "`timeTravel`",
  );
  await expect(createTestQueuert({ ...given, concurrency: 0 })).rejects.toThrow("`concurrency`");
  await expect(createTestQueuert({ ...given, worker: [] } as never)).rejects.toThrow("`worker`");
  const test = await open();
  expect(() => test.crash({ typeName: "mail", when: "later" as never })).toThrow("`when`");
  expect(() => test.failNext("close" as never)).toThrow("`method`");
  await expect(test.drain({ skip: 1 } as never)).rejects.toThrow("`skip`");
  vi.stubEnv("NODE_ENV", "production");
  await expect(createTestQueuert(given)).rejects.toThrow("is for tests");
  vi.unstubAllEnvs();
});
