// Every public call that takes options, with options that are sound.
import { defineUnionJobTypes, type DefineBlocker, type DefineContinuationInput } from "queuert";
import type { DefineContinuationOutput } from "queuert";

export const jobTypes = defineUnionJobTypes<{
  plain: { input: unknown; output: unknown };
  waiting: { input: unknown; output: unknown; blockers: DefineBlocker<"plain">[] };
  first: { input: unknown; output: DefineContinuationOutput<"second"> };
  second: { input: DefineContinuationInput<unknown>; output: unknown };
}>();

type Call = (options: unknown) => Promise<unknown>;

/** Cast, because the arguments are wrong on purpose. */
export type AnyQueuert = Readonly<Record<string, Call>> & {
  readonly transaction: (callback: (context: object) => Promise<unknown>) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

export interface Ids {
  readonly pending: string;
  readonly waiting: string;
  readonly absent: string;
}

export interface Door {
  readonly name: string;
  readonly sound: (ids: Ids) => object;
  /** Runs in a transaction of the caller's. */
  readonly isWrite: boolean;
}

const schedule = { afterMs: 3_600_000 };
const plain = (key: string): object => ({
  ...{ typeName: "plain", input: { a: [1, "x", null] }, schedule, priority: 1 },
  deduplication: { key, strategy: "completed", windowMs: 1_000 },
});
const waitingFor = (id: string): object => ({
  ...{ typeName: "waiting", input: 1, schedule, onBlockerFailure: "wait" },
  startBlockers: () => Promise.resolve([{ id, typeName: "plain" }]),
});
const list = {
  ...{ typeName: ["plain"], status: ["pending"], order: "asc", limit: 3, cursor: null },
  ...{ createdFrom: new Date(0), createdTo: new Date(4e12) },
};

export const doors: readonly Door[] = [
  { name: "startJobSequence", sound: () => plain("a"), isWrite: true },
  { name: "startJobSequence", sound: ({ pending }) => waitingFor(pending), isWrite: true },
  {
    name: "startJobSequences",
    sound: ({ pending }) => ({ sequences: [plain("b"), waitingFor(pending), plain("b")] }),
    isWrite: true,
  },
  {
    name: "completeJobSequence",
    sound: ({ pending }) => ({
      ...{ typeName: "plain", id: pending },
      complete: async ({
        job,
        complete,
      }: {
        job: object;
        complete: (...args: unknown[]) => unknown;
      }) => complete(job, () => ({ done: true })),
    }),
    isWrite: true,
  },
  {
    name: "deleteJobSequences",
    sound: ({ waiting, absent }) => ({ rootSequenceIds: [waiting, absent] }),
    isWrite: true,
  },
  {
    name: "retryFailedJobs",
    sound: ({ pending, absent }) => ({ ids: [pending, absent] }),
    isWrite: true,
  },
  {
    name: "triggerJobs",
    sound: ({ waiting, absent }) => ({ ids: [waiting, absent] }),
    isWrite: true,
  },
  { name: "getJob", sound: ({ pending }) => ({ id: pending, typeName: "plain" }), isWrite: false },
  {
    name: "getJobSequence",
    sound: ({ pending }) => ({ id: pending, typeName: "plain" }),
    isWrite: false,
  },
  { name: "listJobs", sound: ({ pending }) => ({ ...list, sequenceId: pending }), isWrite: false },
  {
    name: "listJobSequences",
    sound: ({ pending }) => ({ ...list, rootSequenceId: pending }),
    isWrite: false,
  },
  { name: "getBlockerGraph", sound: ({ waiting }) => ({ sequenceId: waiting }), isWrite: false },
  {
    name: "deleteFinishedJobSequences",
    sound: () => ({
      completedForMs: 1_000,
      failedForMs: 2_000,
      signal: new AbortController().signal,
    }),
    isWrite: false,
  },
  {
    name: "waitForJobSequenceCompletion",
    sound: ({ pending }) => ({ id: pending, typeName: "plain", timeoutMs: 1, pollIntervalMs: 5 }),
    isWrite: false,
  },
];
