// The parts that our participants have in common: everything but the adapters.
import { createQueuert, type NotifyAdapter, type QueuertClient, type StateAdapter } from "queuert";
import { type Opened, payloadOf, type Workload, type WorkOptions } from "../participant.ts";
import { type Definitions, jobTypes } from "./job-types.ts";

export interface QueuertParts<TTxContext extends object, TContext extends object> {
  readonly stateAdapter: StateAdapter<TTxContext, TContext, string>;
  readonly notifyAdapter?: NotifyAdapter;
  /** Writes the user's row of a `callback` job. */
  readonly writeRow: (context: TTxContext) => unknown;
  /** Closes the connections of the adapters. */
  readonly close: () => Promise<unknown>;
}

type Client<TTxContext> = QueuertClient<Definitions, TTxContext, string>;

export const openQueuert = async <TTxContext extends object, TContext extends object>(
  parts: QueuertParts<TTxContext, TContext>,
): Promise<Opened> => {
  const { stateAdapter, notifyAdapter } = parts;
  const queuert: Client<TTxContext> = await createQueuert({
    stateAdapter,
    notifyAdapter,
    jobTypeDefinitions: jobTypes,
  });
  // The compiler cannot leave out the keys of a context type that it does not know.
  const starter = queuert as unknown as Client<object>;
  return {
    startOne: (input) => starter.startJobSequence({ autocommit: true, typeName: "single", input }),
    startMany: (workload, unitCount) => startMany(queuert, workload, unitCount),
    work: (options) => work(queuert, parts.writeRow, options),
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

type Start<TTxContext> = (
  queuert: Client<TTxContext>,
  options: WorkOptions,
  writeRow: (context: TTxContext) => unknown,
) => Promise<{ readonly stop: () => Promise<void> }>;

/** A worker that implements the job types of the workload. */
const work = async <TTxContext>(
  queuert: Client<TTxContext>,
  writeRow: (context: TTxContext) => unknown,
  options: WorkOptions,
): Promise<() => Promise<void>> => {
  const { workload } = options;
  const start: Start<TTxContext> =
    workload === "chain" ? startSteps : workload === "fan-in" ? startParts : startSingle;
  const worker = await start(queuert, options, writeRow);
  return () => worker.stop();
};

const startSingle = <TTxContext>(
  queuert: Client<TTxContext>,
  { workload, concurrency, onRun }: WorkOptions,
  writeRow: (context: TTxContext) => unknown,
) => {
  const isCallback = workload === "callback";
  return queuert
    .createWorker()
    .implementJobType({
      typeName: "single",
      process: async ({ job, complete }) => {
        onRun(job.input.at);
        if (!isCallback) return complete(null);
        return complete(async (context) => {
          await writeRow(context);
          return null;
        });
      },
    })
    .start({ concurrency });
};

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
