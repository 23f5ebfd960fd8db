// A misspelt job type, where only the types of the workers are known.
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import type { DefineContinuationInput, DefineContinuationOutput, LogEvent } from "queuert";
import { expect, it, onTestFinished } from "vitest";

type Definitions = {
  "send-mail": { input: null; output: DefineContinuationOutput<"archive-mail"> };
  "archive-mail": { input: DefineContinuationInput<null>; output: null };
  invoice: { input: null; output: null };
};
const typesOnly = defineUnionJobTypes<Definitions>();
const catalogued = defineUnionJobTypes<Definitions>({
  "send-mail": { entry: true, continuesTo: { "archive-mail": true } },
  "archive-mail": { entry: false },
  invoice: { entry: true },
});

const open = async (jobTypeDefinitions = typesOnly) => {
  const logged: LogEvent[] = [];
  const queuert = await createQueuert({
    stateAdapter: createInProcessStateAdapter(),
    jobTypeDefinitions,
    log: (event) => {
      logged.push(event);
    },
  });
  onTestFinished(() => queuert.close());
  return {
    /** Compilers see no name that was read at run time. */
    start: (typeName: string) =>
      queuert.startJobSequence({ autocommit: true, typeName: typeName as "invoice", input: null }),
    work: (continuation = "archive-mail") =>
      queuert
        .createWorker()
        .implementJobType({
          typeName: "send-mail",
          process: async ({ complete }) =>
            complete.continueWith({ typeName: continuation as "archive-mail", input: null }),
        })
        .implementJobType({
          typeName: "archive-mail",
          process: async ({ complete }) => complete(null),
        })
        .start({ pollIntervalMs: 10 }),
    wait: ({ id }: { id: string }) =>
      queuert.waitForJobSequenceCompletion({ typeName: "send-mail", id, timeoutMs: 100 }),
    warnings: () => logged.filter(({ type }) => type === "jobTypeNotImplemented"),
  };
};

it("is reported once, with the nearest names that workers implement", async () => {
  const { start, work, warnings } = await open();
  await work();
  await start("send-mial");
  await start("send-mial");
  expect(warnings()).toMatchObject([
    {
      level: "warn",
      message:
        'a job of type "send-mial" was started, which no worker of this client implements: did you mean "send-mail"?',
      data: { typeName: "send-mial", nearTypeNames: ["send-mail"] },
    },
  ]);
});

it("is reported for a continuation", async () => {
  const { start, work, wait, warnings } = await open();
  await work("archive-mails");
  await expect(wait(await start("send-mail"))).rejects.toThrow("did not end");
  expect(warnings()).toMatchObject([{ data: { nearTypeNames: ["archive-mail"] } }]);
});

it("is reported when a worker has started, not before", async () => {
  const { start, work, warnings } = await open();
  await start("send-mial");
  expect(warnings()).toEqual([]);
  await work();
  await start("send-mial");
  expect(warnings()).toHaveLength(1);
});

it("is not a type that is implemented, or has no near name", async () => {
  const { start, work, wait, warnings } = await open();
  await work();
  await wait(await start("send-mail"));
  await start("invoice");
  expect(warnings()).toEqual([]);
});

it("is refused where a catalogue knows the names, and a type of another worker is not reported", async () => {
  const { start, work, warnings } = await open(catalogued);
  await work();
  await expect(start("send-mial")).rejects.toThrow('Did you mean "send-mail"?');
  await start("invoice");
  expect(warnings()).toEqual([]);
});

it("is not searched for among more names than a thousand", async () => {
  const { start, work, warnings } = await open();
  await work();
  for (let n = 0; n < 1_000; n++) await start(`report of customer ${n}`);
  await start("send-mial");
  expect(warnings()).toEqual([]);
});
