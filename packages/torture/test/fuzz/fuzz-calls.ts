import fc from "fast-check";
import { createQueuert, QueuertError, type AnyStateAdapter } from "queuert";
import { expect } from "vitest";
import { listAllJobs } from "../../src/load/list-all-jobs.ts";
import { type AnyQueuert, type Door, type Ids, jobTypes } from "./doors.ts";
import { spoilt } from "./values.ts";

/** Longer than any sound call takes, in milliseconds: one that waits as it was told to is left waiting. */
const patienceMs = 300;

const typeNames = ["plain", "waiting", "first", "second"];

const dump = async (state: AnyStateAdapter): Promise<string> =>
  JSON.stringify(await listAllJobs(state, typeNames));

const plant = async (queuert: AnyQueuert): Promise<Ids> => {
  const started = async (options: object): Promise<string> => {
    const answer = await queuert.transaction((context) =>
      (queuert["startJobSequence"] as AnyQueuert[string])({ ...context, ...options }),
    );
    return (answer as { readonly id: string }).id;
  };
  const pending = await started({ typeName: "plain", input: null });
  const waiting = await started({
    ...{ typeName: "waiting", input: null },
    startBlockers: () => Promise.resolve([{ id: pending, typeName: "plain" }]),
  });
  // Of the form that the store's own ids have.
  const absent = pending.replace(/.$/u, (last) => (last === "0" ? "1" : "0"));
  return { pending, waiting, absent };
};

/**
 * The error that was thrown, null for no error. Context comes first, as users spread it. A value
 * that is not an object cannot be spread.
 */
const callDoor = async (
  queuert: AnyQueuert,
  { name, isWrite }: Door,
  options: unknown,
): Promise<unknown> => {
  const call = queuert[name] as AnyQueuert[string];
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  let thrown: unknown = null;
  const attempt = async (context: object): Promise<void> => {
    try {
      await call(isObject ? { ...context, ...options } : options);
    } catch (error) {
      thrown = error;
    }
  };
  if (isWrite) {
    // Caught inside, and committed all the same: everything written before the error would stay.
    try {
      await queuert.transaction(attempt);
    } catch (error) {
      thrown ??= error;
    }
  } else {
    await Promise.race([attempt({}), new Promise((resolve) => setTimeout(resolve, patienceMs))]);
  }
  return thrown;
};

/** A call that failed has no effect; a call that succeeded has all of it. */
const expectWhole = async (
  state: AnyStateAdapter,
  thrown: unknown,
  before: string,
): Promise<void> => {
  if (thrown !== null) {
    expect(thrown).toBeInstanceOf(QueuertError);
    expect(await dump(state)).toBe(before);
    return;
  }
  const jobs = await listAllJobs(state, typeNames);
  const edges = await state.listBlockerEdges({ ids: jobs.map(({ sequenceId }) => sequenceId) });
  const waiting = new Set(edges.map(({ jobId }) => jobId));
  const forgotten = jobs.filter(({ id, status }) => status === "blocked" && !waiting.has(id));
  expect(forgotten).toEqual([]);
};

/** Calls one door again and again with spoilt options. */
export const fuzzDoor = async (
  state: AnyStateAdapter,
  door: Door,
  { seed, numRuns }: { readonly seed: number; readonly numRuns: number },
): Promise<void> => {
  const queuert = (await createQueuert({
    stateAdapter: state,
    jobTypeDefinitions: jobTypes,
    log: () => undefined,
  })) as unknown as AnyQueuert;
  try {
    const ids = await plant(queuert);
    await fc.assert(
      fc.asyncProperty(spoilt(door.sound(ids)), async (options) => {
        const before = await dump(state);
        await expectWhole(state, await callDoor(queuert, door, options), before);
      }),
      { seed, numRuns },
    );
  } finally {
    await queuert.close();
  }
};
