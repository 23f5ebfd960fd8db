// Workers of each case: from the start of the worker until the last completion is stored.
import type { BenchClient } from "./client.ts";

export const concurrency = 100;

export const startSingles = async (
  { queuert }: BenchClient,
  count: number,
  atOnce = 1_000,
): Promise<void> => {
  for (let done = 0; done < count; done += atOnce) {
    const sequences = Array.from({ length: atOnce }, (_, n) => ({
      typeName: "single" as const,
      input: { n },
    }));
    await queuert.transaction((context) => queuert.startJobSequences({ ...context, sequences }));
  }
};

/** Counts process functions that have returned. Stopping the worker waits until their results are stored. */
const until = (count: number): { readonly all: Promise<void>; readonly one: () => void } => {
  let left = count;
  let finish: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (finish = resolve));
  const one = (): void => {
    if (--left === 0) finish();
  };
  return { all, one };
};

export const drainSingles = async (
  { queuert }: BenchClient,
  count: number,
  settle: "value" | "callback",
): Promise<void> => {
  const { all, one } = until(count);
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "single",
      process: async ({ job, complete }) => {
        one();
        if (settle === "value") return complete(null);
        return complete(async ({ client }) => {
          await client.query({ ...writeRow, values: [job.id] });
          return null;
        });
      },
    })
    .start({ concurrency });
  await all;
  await worker.stop();
};

/** Of each failing job: the first is retried at once. */
export const attemptsOfFailing = 2;

/** Until each job has failed for good. */
export const drainFailing = async ({ queuert }: BenchClient, count: number): Promise<void> => {
  const { all, one } = until(count * attemptsOfFailing);
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "single",
      retryConfig: { maxAttempts: attemptsOfFailing, delayMs: () => 0 },
      process: async () => {
        one();
        throw new Error("the bank does not answer");
      },
    })
    .start({ concurrency });
  await all;
  await worker.stop();
};

const writeRow = {
  name: "write",
  text: "INSERT INTO user_row (job_id, note) VALUES ($1, 'done')",
};

/** Chains of five. */
export const drainChains = async ({ queuert }: BenchClient, count: number): Promise<void> => {
  const { all, one } = until(count);
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "step-1",
      process: async ({ job: { input }, complete }) =>
        complete.continueWith({ typeName: "step-2", input }),
    })
    .implementJobType({
      typeName: "step-2",
      process: async ({ job: { input }, complete }) =>
        complete.continueWith({ typeName: "step-3", input }),
    })
    .implementJobType({
      typeName: "step-3",
      process: async ({ job: { input }, complete }) =>
        complete.continueWith({ typeName: "step-4", input }),
    })
    .implementJobType({
      typeName: "step-4",
      process: async ({ job: { input }, complete }) =>
        complete.continueWith({ typeName: "step-5", input }),
    })
    .implementJobType({
      typeName: "step-5",
      process: async ({ complete }) => {
        one();
        return complete(null);
      },
    })
    .start({ concurrency });
  await all;
  await worker.stop();
};

export const startChains = async ({ queuert }: BenchClient, count: number): Promise<void> => {
  const sequences = Array.from({ length: count }, (_, n) => ({
    typeName: "step-1" as const,
    input: { n },
  }));
  await queuert.transaction((context) => queuert.startJobSequences({ ...context, sequences }));
};

/** Jobs that wait for ten others each. */
export const startFanIns = async ({ queuert }: BenchClient, count: number): Promise<void> => {
  await queuert.transaction(async (context) => {
    const parts = await queuert.startJobSequences({
      ...context,
      sequences: Array.from({ length: count * 10 }, (_, n) => ({
        typeName: "part" as const,
        input: { n },
      })),
    });
    await queuert.startJobSequences({
      ...context,
      sequences: Array.from({ length: count }, (_, n) => ({
        typeName: "whole" as const,
        input: { n },
        startBlockers: async () => parts.slice(n * 10, n * 10 + 10),
      })),
    });
  });
};

export const drainFanIns = async ({ queuert }: BenchClient, count: number): Promise<void> => {
  const { all, one } = until(count);
  const worker = await queuert
    .createWorker()
    .implementJobType({ typeName: "part", process: async ({ complete }) => complete(null) })
    .implementJobType({
      typeName: "whole",
      process: async ({ complete }) => {
        one();
        return complete(null);
      },
    })
    .start({ concurrency });
  await all;
  await worker.stop();
};
