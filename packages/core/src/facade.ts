// The methods that users call: one object, each method with the names of its options. The compiler has checked the types of
// the options where there is one; lifecycle/ checks their values.
import { runTransaction } from "./after-commit/open-transactions.ts";
import { type CallOptions, readCallOptions } from "./call-options.ts";
import type { Engine } from "./engine.ts";
import { QueuertClosedError } from "./errors.ts";
import { type AwaitOptions, awaitSequence } from "./lifecycle/await-sequence.ts";
import { getBlockerGraph } from "./lifecycle/blocker-graph.ts";
import {
  completeExternally,
  type CompleteExternallyOptions,
} from "./lifecycle/complete-externally.ts";
import { deleteSequences } from "./lifecycle/delete-sequences.ts";
import { entryOptionNames } from "./lifecycle/new-job.ts";
import {
  getJob,
  getJobSequence,
  listJobs,
  listJobSequences,
  type ListOptions,
  type LookOptions,
} from "./lifecycle/queries.ts";
import { retryFailedJobs } from "./lifecycle/retry-failed-jobs.ts";
import { type StartOptions, startSequences } from "./lifecycle/start-sequences.ts";
import { deleteFinished, toRetention } from "./lifecycle/delete-finished.ts";
import { triggerJobs } from "./lifecycle/trigger-jobs.ts";
import { assertFunction } from "./model/assert-option.ts";
import type { RetentionOptions } from "./public-types/retention.ts";
import type { QueuertClient } from "./public-types/queuert.ts";
import { createWorker } from "./worker/create-worker.ts";

const startOptionNames = [...entryOptionNames, "autocommit"];

const listOptionNames = [
  "typeName",
  "status",
  "rootSequenceId",
  "createdFrom",
  "createdTo",
  "order",
  "limit",
  "cursor",
];

/** Every method of the client, with unknown payloads and plain ids. `createQueuert` puts the user's types on it. */
type UntypedClient = {
  readonly [TName in keyof QueuertClient<unknown, object, string>]: (...given: never) => unknown;
};

export const createFacade = (engine: Engine): UntypedClient => {
  const stops = new Set<() => Promise<void>>();
  let isClosed = false;
  const assertOpen = (operation: string): void => {
    if (isClosed) throw new QueuertClosedError(operation);
  };

  const call = createCall(engine, assertOpen);
  return {
    ...createWrites(engine, call),
    ...createReads(engine, call),

    withNotify: async (callback: () => Promise<unknown>) => {
      assertOpen("withNotify");
      assertFunction(callback, "callback");
      return engine.effects.gather(callback);
    },

    transaction: async (callback: (context: object) => Promise<unknown>) => {
      assertOpen("transaction");
      assertFunction(callback, "callback");
      return runTransaction(engine, callback);
    },

    createWorker: () => {
      assertOpen("createWorker");
      return createWorker(engine, {
        assertOpen: () => assertOpen("start"),
        track: (stop) => {
          stops.add(stop);
          return () => stops.delete(stop);
        },
      });
    },

    waitForJobSequenceCompletion: async (options: AwaitOptions) => {
      assertOpen("waitForJobSequenceCompletion");
      return awaitSequence(engine, options);
    },

    deleteFinishedJobSequences: async (
      options: RetentionOptions & { signal?: AbortSignal | undefined },
    ) => {
      assertOpen("deleteFinishedJobSequences");
      const retention = toRetention(options, "options");
      return { jobCount: await deleteFinished(engine, retention, options.signal) };
    },

    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await Promise.all([...stops].map((stop) => stop()));
      await engine.close();
    },
  };
};

/** Runs a call with its options, inside the transaction that its context belongs to if `transaction` opened that. */
type Call = <T>(
  operation: string,
  given: unknown,
  names: readonly string[],
  run: (options: CallOptions) => Promise<T>,
) => Promise<T>;

const createCall =
  (engine: Engine, assertOpen: (operation: string) => void): Call =>
  async (operation, given, names, run) => {
    assertOpen(operation);
    const options = readCallOptions(engine.contextKeys, given, names);
    const transaction =
      options.context === undefined ? undefined : engine.transactions.find(options.context);
    return transaction === undefined
      ? run(options)
      : transaction.call(operation, () => run(options));
  };

const createWrites = (engine: Engine, call: Call) => ({
  startJobSequence: (given: unknown) =>
    call("startJobSequence", given, startOptionNames, async ({ own, context }) => {
      const { autocommit, ...options } = own;
      const [started] = await startSequences(engine, {
        operation: "startJobSequence",
        sequences: [options as unknown as StartOptions],
        context,
        autocommit,
      });
      return started;
    }),

  startJobSequences: (given: unknown) =>
    call("startJobSequences", given, ["sequences", "autocommit"], ({ own, context }) =>
      startSequences(engine, {
        operation: "startJobSequences",
        sequences: own["sequences"] as readonly StartOptions[],
        context,
        autocommit: own["autocommit"],
      }),
    ),

  completeJobSequence: (given: unknown) =>
    call("completeJobSequence", given, ["typeName", "id", "complete"], ({ own, context }) =>
      completeExternally(engine, context, own as unknown as CompleteExternallyOptions),
    ),

  deleteJobSequences: (given: unknown) =>
    call("deleteJobSequences", given, ["rootSequenceIds"], ({ own, context }) =>
      deleteSequences(engine, context, own["rootSequenceIds"] as readonly string[]),
    ),

  retryFailedJobs: (given: unknown) =>
    call("retryFailedJobs", given, ["ids"], ({ own, context }) =>
      retryFailedJobs(engine, context, own["ids"] as readonly string[]),
    ),

  triggerJobs: (given: unknown) =>
    call("triggerJobs", given, ["ids"], ({ own, context }) =>
      triggerJobs(engine, context, own["ids"] as readonly string[]),
    ),
});

const createReads = (engine: Engine, call: Call) => ({
  getJob: (given: unknown) =>
    call("getJob", given, ["id", "typeName"], ({ own, context }) =>
      getJob(engine, context, own as unknown as LookOptions),
    ),

  getJobSequence: (given: unknown) =>
    call("getJobSequence", given, ["id", "typeName"], ({ own, context }) =>
      getJobSequence(engine, context, own as unknown as LookOptions),
    ),

  listJobs: (given: unknown = {}) =>
    call(
      "listJobs",
      given,
      [...listOptionNames, "sequenceTypeName", "sequenceId"],
      ({ own, context }) => listJobs(engine, context, own as ListOptions),
    ),

  listJobSequences: (given: unknown = {}) =>
    call("listJobSequences", given, listOptionNames, ({ own, context }) =>
      listJobSequences(engine, context, own as ListOptions),
    ),

  getBlockerGraph: (given: unknown) =>
    call("getBlockerGraph", given, ["sequenceId"], ({ own, context }) =>
      getBlockerGraph(engine, context, own["sequenceId"] as string),
    ),
});
