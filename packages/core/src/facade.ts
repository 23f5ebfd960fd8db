// The methods users call, types aside. The compiler has checked their options; what it could not check, the walk checks.
import type { OpenTransaction } from "./after-commit/open-transactions.ts";
import { runTransaction } from "./after-commit/run-transaction.ts";
import type { Engine } from "./engine.ts";
import { ProcessMisuseError, QueuertClosedError } from "./errors.ts";
import { type MethodName, type Options, orNone, splitOptions } from "./facade-options.ts";
import { type AwaitOptions, awaitSequence } from "./lifecycle/await-sequence.ts";
import { getBlockerGraph } from "./lifecycle/blocker-graph.ts";
import {
  completeExternally,
  type CompleteExternallyOptions,
} from "./lifecycle/complete-externally.ts";
import { deleteSequences } from "./lifecycle/delete-sequences.ts";
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
import { triggerJobs } from "./lifecycle/trigger-jobs.ts";
import { sweepFinished, toRetention } from "./lifecycle/sweep-finished.ts";
import type { RetentionOptions } from "./public-types/maintain.ts";
import { assertFunction } from "./model/assert-option.ts";
import { createWorker } from "./worker/create-worker.ts";

type Call = (options: Options, context: object) => Promise<unknown>;
type Methods = Readonly<Record<string, unknown>>;

/** The facade over an engine. */
export const createFacade = (engine: Engine): Methods => {
  const stops = new Set<() => Promise<void>>();
  let isClosed = false;
  const assertOpen = (operation: string): void => {
    if (isClosed) throw new QueuertClosedError(operation);
  };
  const calls = { ...writes(engine), ...reads(engine) };
  const withContext = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      inContext(engine, name as MethodName, (...given) => {
        assertOpen(name);
        return call(...given);
      }),
    ]),
  );
  return {
    ...withContext,
    withNotify: async (callback: () => Promise<unknown>) => {
      assertOpen("withNotify");
      assertFunction(callback, "callback");
      return engine.scope.gather(callback);
    },
    transaction: async (callback: (context: object) => Promise<unknown>) => {
      assertOpen("transaction");
      assertFunction(callback, "callback");
      assertNotNested(engine);
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
    deleteFinishedJobSequences: async (options: RetentionOptions & { signal?: AbortSignal }) => {
      assertOpen("deleteFinishedJobSequences");
      const retention = toRetention(options, "options");
      return { jobCount: await sweepFinished(engine, retention, options.signal) };
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await Promise.all([...stops].map((stop) => stop()));
      await engine.close();
    },
  };
};

/** A call with the context spread into its options taken out, in the transaction of ours that the context stands for, if any. */
const inContext =
  (engine: Engine, name: MethodName, call: Call) =>
  (options: Options = {}): Promise<unknown> => {
    let transaction: OpenTransaction | undefined;
    const run = async (): Promise<unknown> => {
      const { own, context } = splitOptions(name, options);
      transaction = engine.transactions.find(context);
      return transaction === undefined
        ? call(own, context)
        : transaction.call(name, () => call(own, context));
    };
    const answer = run();
    // Found before the first `await`. A callback that returns this very promise has nothing more to do.
    (transaction as OpenTransaction | undefined)?.answerWith(answer);
    return answer;
  };

/** With one writer, a transaction within another would wait for itself without end. */
const assertNotNested = ({ nesting }: Engine): void => {
  if (!nesting.isInside()) return;
  throw new ProcessMisuseError(
    "A transaction was opened inside another, and this store has one writer: " +
      "use the context that the outer one was given",
  );
};

const writes = (
  engine: Engine,
): Record<Exclude<MethodName, `get${string}` | `list${string}`>, Call> => ({
  startJobSequence: async (options, context) => {
    const sequences = [options as unknown as StartOptions];
    const [started] = await startSequences(engine, context, sequences, "startJobSequence");
    return started;
  },
  startJobSequences: ({ sequences }, context) =>
    startSequences(engine, context, sequences as readonly StartOptions[], "startJobSequences"),
  completeJobSequence: (options, context) =>
    completeExternally(engine, context, options as unknown as CompleteExternallyOptions),
  deleteJobSequences: ({ rootSequenceIds }, context) =>
    deleteSequences(engine, context, rootSequenceIds as readonly string[]),
  retryFailedJobs: ({ ids }, context) =>
    retryFailedJobs(engine, orNone(context), ids as readonly string[]),
  triggerJobs: ({ ids }, context) => triggerJobs(engine, orNone(context), ids as readonly string[]),
});

const reads = (
  engine: Engine,
): Record<Extract<MethodName, `get${string}` | `list${string}`>, Call> => ({
  getJob: (options, context) => getJob(engine, orNone(context), options as unknown as LookOptions),
  getJobSequence: (options, context) =>
    getJobSequence(engine, orNone(context), options as unknown as LookOptions),
  listJobs: (options, context) => listJobs(engine, orNone(context), options as ListOptions),
  listJobSequences: (options, context) =>
    listJobSequences(engine, orNone(context), options as ListOptions),
  getBlockerGraph: ({ sequenceId }, context) =>
    getBlockerGraph(engine, orNone(context), sequenceId as string),
});
