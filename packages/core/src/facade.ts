// oxlint-disable max-lines -- every method of the client, read from top to bottom.
// The methods that users call: one object, each method with the names of its options. The compiler has checked the types of
// the options where there is one; lifecycle/ checks their values.
import type * as LateCalls from "./late-calls.ts";
import {
  type ContextKeys,
  type OpenTransaction,
  type OpenTransactions,
  runTransaction,
} from "./after-commit/open-transactions.ts";
import type { Engine } from "./engine.ts";
import { InvalidOptionError, QueuertClosedError } from "./errors.ts";
import { type AwaitOptions, awaitSequence } from "./lifecycle/await-sequence.ts";
import type { CancelOptions } from "./lifecycle/cancel-sequences.ts";
import type { CompleteExternallyOptions } from "./lifecycle/complete-externally.ts";
import type { DeleteOptions } from "./lifecycle/delete-sequences.ts";
import { entryOptionNames } from "./lifecycle/new-job.ts";
import {
  getJob,
  getJobSequence,
  listJobs,
  listJobSequences,
  listOptionNames,
  type ListOptions,
  type LookOptions,
} from "./lifecycle/queries.ts";
import { type StartOptions, startSequences } from "./lifecycle/start-sequences.ts";
import { deleteFinished, toRetention } from "./lifecycle/delete-finished.ts";
import { assertFunction } from "./model/assert-option.ts";
import { withoutEntityFields } from "./model/entity-fields.ts";
import type { CheckOptions } from "./public-types/check.ts";
import type { RetentionOptions } from "./public-types/retention.ts";
import type { QueuertClient } from "./public-types/queuert.ts";
import type { ListSchedulesOptions, ListTicksOptions } from "./schedules/list-schedules.ts";
import { previewSchedule } from "./schedules/preview-schedule.ts";
import { createWorker } from "./worker/create-worker.ts";
import { loadOnce } from "./async/load-once.ts";
import { unknownOptionError } from "./model/assert-known-options.ts";
import type { PauseOptions } from "./lifecycle/pauses.ts";

const startOptionNames = [...entryOptionNames, "autocommit"];

const identity = ["id", "typeName"];

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
    ...createSignals(engine, begin),

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
    const options = call.own as unknown as CompleteExternallyOptions;
    return callLate(call, (late) => late.completeExternally(engine, call.context, options));
  },

  cancelJobSequences: async (given: unknown) => {
    const names = ["ids", "tree", "dependants", "reason"];
    const call = begin("cancelJobSequences", given, names);
    const options = call.own as unknown as CancelOptions;
    return callLate(call, (late) => late.cancelSequences(engine, call.context, options));
  },

  deleteJobSequences: async (given: unknown) => {
    const call = begin("deleteJobSequences", given, ["rootSequenceIds", "dependants"]);
    const options = call.own as unknown as DeleteOptions;
    return callLate(call, (late) => late.deleteSequences(engine, call.context, options));
  },

  retryFailedJobs: async (given: unknown) => {
    const call = begin("retryFailedJobs", given, ["ids"]);
    const ids = call.own["ids"] as readonly string[];
    return callLate(call, (late) => late.retryFailedJobs(engine, call.context, ids));
  },
  updateJobs: async (given: unknown) => {
    const call = begin("updateJobs", given, ["jobs"]);
    return callLate(call, (late) => late.updateJobs(engine, call.context, call.own["jobs"]));
  },
  triggerJobs: async (given: unknown) => {
    const call = begin("triggerJobs", given, ["ids"]);
    const ids = call.own["ids"] as readonly string[];
    return callLate(call, (late) => late.triggerJobs(engine, call.context, ids));
  },
});

const createSchedules = (engine: Engine, begin: Begin) => ({
  upsertSchedules: async (given: unknown) => {
    const call = begin("upsertSchedules", given, ["schedules"]);
    const { schedules } = call.own;
    return callLate(call, (late) => late.upsertSchedules(engine, call.context, schedules));
  },

  deleteSchedules: async (given: unknown) => {
    const call = begin("deleteSchedules", given, ["names"]);
    return callLate(call, (late) => late.deleteSchedules(engine, call.context, call.own));
  },

  pauseSchedules: async (given: unknown) => {
    const call = begin("pauseSchedules", given, ["names", "note"]);
    return callLate(call, (late) => late.pauseSchedules(engine, call.context, call.own));
  },

  resumeSchedules: async (given: unknown) => {
    const call = begin("resumeSchedules", given, ["names", "catchUp"]);
    return callLate(call, (late) => late.resumeSchedules(engine, call.context, call.own));
  },

  triggerSchedules: async (given: unknown) => {
    const call = begin("triggerSchedules", given, ["names", "overlap"]);
    return callLate(call, (late) => late.triggerSchedules(engine, call.context, call.own));
  },

  backfillSchedule: async (given: unknown) => {
    const call = begin("backfillSchedule", given, ["name", "from", "to", "overlap"]);
    return callLate(call, (late) => late.backfillSchedule(engine, call.context, call.own));
  },

  previewSchedule: (given: unknown) => previewSchedule(engine, given),

  listSchedules: async (given: unknown = {}) => {
    const call = begin("listSchedules", given, ["names", "isDeclared", "limit", "cursor"]);
    const options = call.own as ListSchedulesOptions;
    return callLate(call, (late) => late.listSchedules(engine, call.context, options));
  },

  listScheduleTicks: async (given: unknown) => {
    const names = ["name", "from", "to", "order", "limit", "cursor"];
    const call = begin("listScheduleTicks", given, names);
    const options = call.own as ListTicksOptions;
    return callLate(call, (late) => late.listScheduleTicks(engine, call.context, options));
  },
});

const createSignals = (engine: Engine, begin: Begin) => ({
  sendSignals: async (given: unknown) => {
    const call = begin("sendSignals", given, ["signals", "autocommit"]);
    return callLate(call, (late) => late.sendSignals(engine, call));
  },

  expectSignal: async (given: unknown) => {
    const call = begin("expectSignal", given, ["typeName", "key", "autocommit"]);
    return callLate(call, (late) => late.expectSignal(engine, call));
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

  check: async (given: unknown = {}) => {
    const call = begin("check", given, ["examineMax", "signal"]);
    return callLate(call, (late) => late.checkJobs(engine, call.own as CheckOptions));
  },

  explain: async (given: unknown) => {
    const call = begin("explain", withoutEntityFields(given, ["id"]), ["id"]);
    // Loaded by the first call: workers do without it.
    const { explainJob } = await import("./operator/explain/explain.ts");
    return track(call, explainJob(engine.state, call.own["id"] as string, call.context));
  },

  getBlockerGraph: async (given: unknown) => {
    const call = begin("getBlockerGraph", given, ["sequenceId"]);
    const sequenceId = call.own["sequenceId"] as string;
    return callLate(call, (late) => late.getBlockerGraph(engine, call.context, sequenceId));
  },
});

// One call of a method of the client. Users spread the context of a transaction into the options of a
// call. Each method names its options. A key of a context is recognised by its name, and every other key is refused. An ignored
// filter would list the jobs of all customers.

/** The options of one call, apart from its context. */
interface CallOptions {
  readonly own: Readonly<Record<string, unknown>>;
  /** Undefined if the call was given no context. */
  readonly context: object | undefined;
}

/** The options of a call, and the transaction of its context if `transaction` or a handler opened that. */
interface Call extends CallOptions {
  readonly transaction: OpenTransaction | undefined;
}

/** Begins a call of a method with these option names. */
type Begin = (operation: string, given: unknown, names: readonly string[]) => Call;

interface Parts {
  readonly contextKeys: ContextKeys;
  readonly transactions: Pick<OpenTransactions, "find">;
}

/** `assertOpen`: refuses calls of a client that is closed. */
const createBegin =
  ({ contextKeys, transactions }: Parts, assertOpen: (operation: string) => void): Begin =>
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

export const loadLateCalls: () => Promise<typeof LateCalls> = loadOnce(
  () => import("./late-calls.ts"),
);

/** The same for a call whose code is loaded late. Calls of one transaction keep their order among themselves. */
const callLate = <T>(call: Call, run: (late: typeof LateCalls) => Promise<T>): Promise<T> =>
  track(call, loadLateCalls().then(run));

/** Splits the argument of a method. `names`: the options of the method. */
const readCallOptions = (
  contextKeys: ContextKeys,
  given: unknown,
  names: readonly string[],
): CallOptions => {
  if (typeof given !== "object" || given === null) {
    throw new InvalidOptionError("options", given, "give an object");
  }
  const own: Record<string, unknown> = {};
  let context: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(given)) {
    if (names.includes(key)) own[key] = value;
    else if (value === undefined || libraryKeys.has(key)) continue;
    else if (contextKeys.includes(key, value, names)) (context ??= {})[key] = value;
    else throw unknownOptionError(key, value, [...names, ...contextKeys.known()]);
  }
  return { own, context };
};

/** The library adds these to the contexts that it gives to callbacks: users spread them with the rest. */
const libraryKeys: ReadonlySet<string> = new Set(["continueWith", "job"]);

// The methods of the client for operators: pauses and limits. They take no context, and commit at once.

type Controls = Readonly<
  Record<
    | "pause"
    | "resume"
    | "getPauses"
    | "setLimits"
    | "deleteLimits"
    | "getLimits"
    | "setLimitKeys"
    | "getLimitKeys",
    (given?: unknown) => Promise<unknown>
  >
>;

const createControls = (engine: Engine, begin: Begin): Controls => ({
  pause: async (given: unknown) => {
    const names = ["jobTypes", "everything", "limit", "keys", "forMs", "note"];
    const call = begin("pause", given, names);
    return callLate(call, (late) => late.pause(engine, call.own as PauseOptions));
  },

  resume: async (given: unknown) => {
    const call = begin("resume", given, ["jobTypes", "everything", "limit", "keys"]);
    return callLate(call, (late) => late.resume(engine, call.own as PauseOptions));
  },

  setLimits: async (given: unknown) => {
    const call = begin("setLimits", given, ["limits"]);
    return callLate(call, (late) => late.setLimits(engine, call.own["limits"]));
  },

  deleteLimits: async (given: unknown) => {
    const call = begin("deleteLimits", given, ["names"]);
    return callLate(call, (late) => late.deleteLimits(engine, call.own["names"]));
  },

  getLimits: async (given: unknown = {}) => {
    const call = begin("getLimits", given, ["names"]);
    return callLate(call, (late) => late.getLimits(engine, call.own["names"]));
  },

  setLimitKeys: async (given: unknown) => {
    const call = begin("setLimitKeys", given, ["keys"]);
    return callLate(call, (late) => late.setLimitKeys(engine, call.own["keys"]));
  },

  getLimitKeys: async (given: unknown) => {
    const call = begin("getLimitKeys", given, ["limit", "keys"]);
    return callLate(call, (late) => late.getLimitKeys(engine, call.own));
  },

  getPauses: async () => callLate(begin("getPauses", {}, []), (late) => late.getPauses(engine)),
});
