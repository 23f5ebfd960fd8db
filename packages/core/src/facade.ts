// The methods that users call: one object, each method with the names of its options. The compiler has checked the types of
// the options where there is one; lifecycle/ checks their values.
import { type OpenTransaction, runTransaction } from "./after-commit/open-transactions.ts";
import { type CallOptions, readCallOptions } from "./adapters/call-options.ts";
import type { Engine } from "./engine.ts";
import { QueuertClosedError } from "./errors.ts";
import { type AwaitOptions, awaitSequence } from "./lifecycle/await-sequence.ts";
import { getBlockerGraph } from "./lifecycle/blocker-graph.ts";
import { type CancelOptions, cancelSequences } from "./lifecycle/cancel-sequences.ts";
import {
  completeExternally,
  type CompleteExternallyOptions,
} from "./lifecycle/complete-externally.ts";
import { type DeleteOptions, deleteSequences } from "./lifecycle/delete-sequences.ts";
import { entryOptionNames } from "./lifecycle/new-job.ts";
import {
  getJob,
  getJobSequence,
  listJobs,
  listJobSequences,
  type ListOptions,
  type LookOptions,
} from "./lifecycle/queries.ts";
import { getPauses, pause, type PauseOptions, resume } from "./lifecycle/pauses.ts";
import { retryFailedJobs } from "./lifecycle/retry-failed-jobs.ts";
import { type StartOptions, startSequences } from "./lifecycle/start-sequences.ts";
import { deleteFinished, toRetention } from "./lifecycle/delete-finished.ts";
import { triggerJobs } from "./lifecycle/trigger-jobs.ts";
import { assertFunction } from "./model/assert-option.ts";
import { withoutEntityFields } from "./model/entity-fields.ts";
import type { RetentionOptions } from "./public-types/retention.ts";
import type { QueuertClient } from "./public-types/queuert.ts";
import {
  listSchedules,
  type ListSchedulesOptions,
  listScheduleTicks,
  type ListTicksOptions,
  previewSchedule,
} from "./schedules/list-schedules.ts";
import { deleteSchedules, pauseSchedules, resumeSchedules } from "./schedules/pause-schedules.ts";
import { backfillSchedule, triggerSchedules } from "./schedules/trigger-schedules.ts";
import { upsertSchedules } from "./schedules/upsert-schedules.ts";
import { createWorker } from "./worker/create-worker.ts";

const startOptionNames = [...entryOptionNames, "autocommit"];

const identity = ["id", "typeName"];

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

  const begin = createBegin(engine, assertOpen);
  return {
    ...createWrites(engine, begin),
    ...createReads(engine, begin),
    ...createSchedules(engine, begin),

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

    ...createControls(engine, begin),

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

/** The options of a call, and the transaction of its context if `transaction` or a handler opened that. */
interface Call extends CallOptions {
  readonly transaction: OpenTransaction | undefined;
}

/** Begins a call of a method with these option names. */
type Begin = (operation: string, given: unknown, names: readonly string[]) => Call;

const createBegin =
  ({ contextKeys, transactions }: Engine, assertOpen: (operation: string) => void): Begin =>
  (operation, given, names) => {
    assertOpen(operation);
    const { own, context } = readCallOptions(contextKeys, given, names);
    const transaction = context === undefined ? undefined : transactions.find(context);
    transaction?.assertOpen(operation);
    return { own, context, transaction };
  };

/** Keeps the transaction of a call open until the call has settled. */
const track = <T>({ transaction }: Call, pending: Promise<T>): Promise<T> =>
  transaction === undefined ? pending : transaction.track(pending);

const createWrites = (engine: Engine, begin: Begin) => ({
  startJobSequence: async (given: unknown) => {
    const call = begin("startJobSequence", given, startOptionNames);
    const { autocommit, ...options } = call.own;
    const pending = startSequences(engine, {
      operation: "startJobSequence",
      sequences: [options as unknown as StartOptions],
      context: call.context,
      autocommit,
    });
    const [started] = await track(call, pending);
    return started;
  },

  startJobSequences: async (given: unknown) => {
    const call = begin("startJobSequences", given, ["sequences", "autocommit"]);
    const pending = startSequences(engine, {
      operation: "startJobSequences",
      sequences: call.own["sequences"] as readonly StartOptions[],
      context: call.context,
      autocommit: call.own["autocommit"],
    });
    return track(call, pending);
  },

  completeJobSequence: async (given: unknown) => {
    const call = begin("completeJobSequence", given, ["typeName", "id", "complete"]);
    return track(
      call,
      completeExternally(engine, call.context, call.own as unknown as CompleteExternallyOptions),
    );
  },

  cancelJobSequences: async (given: unknown) => {
    const names = ["ids", "tree", "dependants", "reason"];
    const call = begin("cancelJobSequences", given, names);
    return track(call, cancelSequences(engine, call.context, call.own as unknown as CancelOptions));
  },

  deleteJobSequences: async (given: unknown) => {
    const call = begin("deleteJobSequences", given, ["rootSequenceIds", "dependants"]);
    return track(call, deleteSequences(engine, call.context, call.own as unknown as DeleteOptions));
  },

  retryFailedJobs: async (given: unknown) => {
    const call = begin("retryFailedJobs", given, ["ids"]);
    return track(call, retryFailedJobs(engine, call.context, call.own["ids"] as readonly string[]));
  },

  triggerJobs: async (given: unknown) => {
    const call = begin("triggerJobs", given, ["ids"]);
    return track(call, triggerJobs(engine, call.context, call.own["ids"] as readonly string[]));
  },
});

const createSchedules = (engine: Engine, begin: Begin) => ({
  upsertSchedules: async (given: unknown) => {
    const call = begin("upsertSchedules", given, ["schedules"]);
    return track(call, upsertSchedules(engine, call.context, call.own["schedules"]));
  },

  deleteSchedules: async (given: unknown) => {
    const call = begin("deleteSchedules", given, ["names"]);
    return track(call, deleteSchedules(engine, call.context, call.own));
  },

  pauseSchedules: async (given: unknown) => {
    const call = begin("pauseSchedules", given, ["names", "note"]);
    return track(call, pauseSchedules(engine, call.context, call.own));
  },

  resumeSchedules: async (given: unknown) => {
    const call = begin("resumeSchedules", given, ["names", "catchUp"]);
    return track(call, resumeSchedules(engine, call.context, call.own));
  },

  triggerSchedules: async (given: unknown) => {
    const call = begin("triggerSchedules", given, ["names", "overlap"]);
    return track(call, triggerSchedules(engine, call.context, call.own));
  },

  backfillSchedule: async (given: unknown) => {
    const call = begin("backfillSchedule", given, ["name", "from", "to", "overlap"]);
    return track(call, backfillSchedule(engine, call.context, call.own));
  },

  previewSchedule: (given: unknown) => previewSchedule(engine, given),

  listSchedules: async (given: unknown = {}) => {
    const call = begin("listSchedules", given, ["names", "isDeclared", "limit", "cursor"]);
    return track(call, listSchedules(engine, call.context, call.own as ListSchedulesOptions));
  },

  listScheduleTicks: async (given: unknown) => {
    const names = ["name", "from", "to", "order", "limit", "cursor"];
    const call = begin("listScheduleTicks", given, names);
    return track(call, listScheduleTicks(engine, call.context, call.own as ListTicksOptions));
  },
});

const createControls = (engine: Engine, begin: Begin) => ({
  pause: async (given: unknown) => {
    const { own } = begin("pause", given, ["jobTypes", "everything", "forMs", "note"]);
    return pause(engine, own as PauseOptions);
  },

  resume: async (given: unknown) => {
    const { own } = begin("resume", given, ["jobTypes", "everything"]);
    return resume(engine, own as PauseOptions);
  },

  getPauses: async () => {
    begin("getPauses", {}, []);
    return getPauses(engine);
  },
});

const createReads = (engine: Engine, begin: Begin) => ({
  getJob: async (given: unknown) => {
    const call = begin("getJob", withoutEntityFields(given, identity), identity);
    return track(call, getJob(engine, call.context, call.own as unknown as LookOptions));
  },

  getJobSequence: async (given: unknown) => {
    const call = begin("getJobSequence", withoutEntityFields(given, identity), identity);
    return track(call, getJobSequence(engine, call.context, call.own as unknown as LookOptions));
  },

  listJobs: async (given: unknown = {}) => {
    const call = begin("listJobs", given, [...listOptionNames, "sequenceTypeName", "sequenceId"]);
    return track(call, listJobs(engine, call.context, call.own as ListOptions));
  },

  listJobSequences: async (given: unknown = {}) => {
    const call = begin("listJobSequences", given, listOptionNames);
    return track(call, listJobSequences(engine, call.context, call.own as ListOptions));
  },

  explain: async (given: unknown) => {
    const call = begin("explain", withoutEntityFields(given, ["id"]), ["id"]);
    // Loaded by the first call: workers do without it.
    const { explainJob } = await import("./operator/explain/explain.ts");
    return track(call, explainJob(engine.state, call.own["id"] as string, call.context));
  },

  getBlockerGraph: async (given: unknown) => {
    const call = begin("getBlockerGraph", given, ["sequenceId"]);
    return track(call, getBlockerGraph(engine, call.context, call.own["sequenceId"] as string));
  },
});
