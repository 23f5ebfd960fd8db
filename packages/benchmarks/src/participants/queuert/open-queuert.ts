// The parts that our participants have in common: everything but the adapters.
import {
  createConsoleLog,
  createQueuert,
  type Log,
  type NotifyAdapter,
  type QueuertClient,
  type StateAdapter,
} from "queuert";
import { type Opened, payloadOf, type Workload, type WorkOptions } from "../participant.ts";
import { type Definitions, jobTypes } from "./job-types.ts";
import { createNextKey, limitedWorkOf, limitsOptions, noisyKey } from "./limits.ts";
import { dueAtOf, storeSchedules } from "./schedules.ts";

export interface QueuertParts<TTxContext extends object, TContext extends object> {
  readonly stateAdapter: StateAdapter<TTxContext, TContext, string>;
  readonly notifyAdapter?: NotifyAdapter;
  /** Writes the user's row of a `callback` job. */
  readonly writeRow: (context: TTxContext) => unknown;
  /** With it, jobs are handled in batches of this size. */
  readonly batchSize?: number | undefined;
  /** False: neither the registry of workers nor metrics. */
  readonly workerRegistry?: boolean;
  /** Closes the connections of the adapters. */
  readonly close: () => Promise<unknown>;
}

const print = createConsoleLog({ minimumLevel: "warn" });

const failures = new Set<string>(["jobAttemptFailed", "jobFailed", "jobSequenceFailed"]);

/** Without the lines of jobs that fail on purpose: thousands of them would take longer than the jobs. */
const log: Log = (event) => {
  if (!failures.has(event.type)) print(event);
};

type Client<TTxContext> = QueuertClient<Definitions, TTxContext, string>;

export const openQueuert = async <TTxContext extends object, TContext extends object>(
  parts: QueuertParts<TTxContext, TContext>,
): Promise<Opened> => {
  const { stateAdapter, notifyAdapter } = parts;
  const queuert: Client<TTxContext> = await createQueuert({
    stateAdapter,
    notifyAdapter,
    jobTypeDefinitions: jobTypes,
    limits: limitsOptions,
    workerRegistry: parts.workerRegistry,
    log,
  });
  const nextKey = createNextKey();
  // The compiler cannot leave out the keys of a context type that it does not know.
  const starter = queuert as unknown as Client<object>;
  return {
    startOne: (input) => starter.startJobSequence({ autocommit: true, typeName: "single", input }),
    startInTransaction: (input) =>
      queuert.transaction(async (context) => {
        await parts.writeRow(context);
        return queuert.startJobSequence({ ...context, typeName: "single", input });
      }),
    startMany: async (workload, unitCount) => {
      const limited = limitedWorkOf(workload);
      if (limited === undefined) return startMany(queuert, workload, unitCount);
      await queuert.setLimits({ limits: [limited.limit] });
      if (limited.typeName === "single") return startMany(queuert, "value", unitCount);
      const sequences = Array.from({ length: unitCount }, () => ({
        typeName: "keyed" as const,
        input: { ...payloadOf(0), key: workload === "noisy-key" ? noisyKey : nextKey() },
      }));
      return queuert.transaction((context) => queuert.startJobSequences({ ...context, sequences }));
    },
    storeSchedules: (schedules) => storeSchedules(queuert, schedules),
    work: (options) => work(queuert, parts, options),
    close: async () => {
      await queuert.close();
      await parts.close();
    },
  };
};

const startMany = <TTxContext>(
  queuert: Client<TTxContext>,
  workload: Workload,
  unitCount: number,
): Promise<unknown> => {
  const input = payloadOf(0);
  return queuert.transaction(async (context) => {
    const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
    if (workload === "chain") {
      const sequences = times(unitCount, { typeName: "step-1", input } as const);
      return queuert.startJobSequences({ ...context, sequences });
    }
    if (workload !== "fan-in") {
      const sequences = times(unitCount, { typeName: "single", input } as const);
      return queuert.startJobSequences({ ...context, sequences });
    }
    const parts = await queuert.startJobSequences({
      ...context,
      sequences: times(unitCount * 10, { typeName: "part", input } as const),
    });
    return queuert.startJobSequences({
      ...context,
      sequences: Array.from({ length: unitCount }, (_, index) => ({
        typeName: "whole" as const,
        input,
        startBlockers: async () => parts.slice(index * 10, index * 10 + 10),
      })),
    });
  });
};

type Handling<TTxContext extends object> = Pick<
  QueuertParts<TTxContext, object>,
  "writeRow" | "batchSize"
>;

type Start<TTxContext extends object> = (
  queuert: Client<TTxContext>,
  options: WorkOptions,
  handling: Handling<TTxContext>,
) => Promise<{ readonly stop: () => Promise<void> }>;

/** A worker that implements the job types of the workload. */
const work = async <TTxContext extends object>(
  queuert: Client<TTxContext>,
  handling: Handling<TTxContext>,
  options: WorkOptions,
): Promise<() => Promise<void>> => {
  const { workload } = options;
  const startSingles = handling.batchSize === undefined ? startSingle : startBatches;
  const starts: Partial<Record<Workload, Start<TTxContext>>> = {
    chain: startSteps,
    "fan-in": startParts,
    keys: startKeyed,
    "key-rates": startKeyed,
    failing: startFailing,
  };
  const start = starts[workload] ?? startSingles;
  const worker = await start(queuert, options, handling);
  return () => worker.stop();
};

/** A worker that implements so many types without jobs. */
const createWorker = <TTxContext>(
  queuert: Client<TTxContext>,
  { idleTypeCount = 0 }: WorkOptions,
) => {
  const worker = queuert.createWorker();
  for (let number = 0; number < idleTypeCount; number += 1) {
    // No definition names them all; they have no jobs either.
    const typeName = `idle-${number}` as "single";
    worker.implementJobType({ typeName, process: ({ complete }) => complete(null) });
  }
  return worker;
};

const startSingle = <TTxContext extends object>(
  queuert: Client<TTxContext>,
  options: WorkOptions,
  { writeRow }: Handling<TTxContext>,
) => {
  const { workload, concurrency, onRun } = options;
  const isCallback = workload === "callback";
  return createWorker(queuert, options)
    .implementJobType({
      typeName: "single",
      process: async ({ job, complete }) => {
        onRun(job.tick === null ? job.input.at : dueAtOf(job.tick.at));
        if (!isCallback) return complete(null);
        return complete(async (context) => {
          await writeRow(context);
          return null;
        });
      },
    })
    .start({ concurrency });
};

/** As many batches at a time as ten workers of a peer have. */
const startBatches = <TTxContext extends object>(
  queuert: Client<TTxContext>,
  { workload, concurrency, onRun }: WorkOptions,
  { writeRow, batchSize: maxSize = 1 }: Handling<TTxContext>,
) => {
  const isCallback = workload === "callback";
  return queuert
    .createWorker()
    .implementJobTypeBatch({
      ...{ typeName: "single", batch: { maxSize } },
      process: async ({ jobs, complete }) => {
        for (const { input } of jobs) onRun(input.at);
        const outcomes = jobs.map(() => ({ output: null }));
        if (!isCallback) return complete(outcomes);
        return complete(async (context) => {
          await Promise.all(jobs.map(() => writeRow(context)));
          return outcomes;
        });
      },
    })
    .start({ concurrency: Math.ceil(concurrency / 10) });
};

const failingAttempts = 2;

const startFailing = <TTxContext>(
  queuert: Client<TTxContext>,
  { concurrency, onRun }: WorkOptions,
) =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "single",
      retryConfig: { maxAttempts: failingAttempts, delayMs: () => 0 },
      process: ({ job }) => {
        if (job.attempt === failingAttempts) onRun(job.input.at);
        throw new Error("the bank does not answer");
      },
    })
    .start({ concurrency });

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

const startKeyed = <TTxContext>(queuert: Client<TTxContext>, { concurrency, onRun }: WorkOptions) =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "keyed",
      process: async ({ job, signal, complete }) => {
        if (job.input.key === noisyKey) await untilAborted(signal);
        else onRun(job.input.at);
        return complete(null);
      },
    })
    .start({ concurrency });

const startParts = <TTxContext>(queuert: Client<TTxContext>, { concurrency, onRun }: WorkOptions) =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "part",
      process: async ({ job: { input }, complete }) => {
        onRun(input.at);
        return complete({ size: input.text.length });
      },
    })
    .implementJobType({
      typeName: "whole",
      process: async ({ job: { input, blockers }, complete }) => {
        onRun(input.at);
        return complete({ size: blockers.reduce((sum, { output }) => sum + output.size, 0) });
      },
    })
    .start({ concurrency });

const startSteps = <TTxContext>(queuert: Client<TTxContext>, { concurrency, onRun }: WorkOptions) =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "step-1",
      process: async ({ job: { input }, complete }) => {
        onRun(input.at);
        return complete.continueWith({ typeName: "step-2", input });
      },
    })
    .implementJobType({
      typeName: "step-2",
      process: async ({ job: { input }, complete }) => {
        onRun(input.at);
        return complete.continueWith({ typeName: "step-3", input });
      },
    })
    .implementJobType({
      typeName: "step-3",
      process: async ({ job: { input }, complete }) => {
        onRun(input.at);
        return complete.continueWith({ typeName: "step-4", input });
      },
    })
    .implementJobType({
      typeName: "step-4",
      process: async ({ job: { input }, complete }) => {
        onRun(input.at);
        return complete.continueWith({ typeName: "step-5", input });
      },
    })
    .implementJobType({
      typeName: "step-5",
      process: async ({ job: { input }, complete }) => {
        onRun(input.at);
        return complete(null);
      },
    })
    .start({ concurrency });
