// The load's one process function: executes the plan in the job's input.
import {
  type DeduplicationOptions,
  type Queuert,
  rescheduleJob,
  RescheduleJobError,
  UnrecoverableJobError,
} from "queuert";
import type { Ended, HistoryEntry } from "../checker/history.ts";
import type { jobTypes } from "./job-types.ts";
import { type Plan, usesCallback, writesRow } from "./plan.ts";
import type { JobTypeDefinitionsOf, StateAdapter } from "queuert";

type Definitions = JobTypeDefinitionsOf<typeof jobTypes>;
export type LoadQueuert = Queuert<Definitions, StateAdapter<object, object, string>>;

export interface LoadSurroundings {
  readonly queuert: LoadQueuert;
  readonly processName: string;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly note: (entry: HistoryEntry) => void;
  /** Writes the handler's row in its transaction. */
  readonly writeRow: (
    context: object,
    row: { readonly jobId: string; readonly leaseVersion: number; readonly path: string },
  ) => Promise<void>;
  /** Receives the errors of the library and the store. */
  readonly onError: (doing: string, error: unknown) => void;
  /** Counts reschedules of a path, in this process. */
  readonly rescheduled: Map<string, number>;
  /** Whether the cause of a job's failure has been repaired. */
  readonly isRepaired: (jobId: string) => boolean;
}

/** At most so many attempts of a job of the load. */
export const maxAttempts = 6;

type StartMeans = Pick<LoadSurroundings, "queuert" | "now">;

/**
 * Starts the blockers of a plan in the current transaction. They start concurrently, so that one
 * may fail while others are in progress.
 */
export const startBlockersOf = async (
  means: StartMeans,
  context: object,
  plans: readonly Plan[],
): Promise<readonly StartedPlan[]> => {
  const started = await Promise.all(plans.map((plan) => startPlans(means, context, [plan])));
  return started.flat();
};

export interface StartedPlan {
  readonly id: string;
  readonly typeName: "step" | "gather";
}

interface StartOptions {
  readonly typeName: "step" | "gather";
  readonly input: { readonly plan: Plan };
}

/** The input and when it is due. The clock is the one that all processes share, not the one that can be set wrong. */
const scheduled = ({ now }: StartMeans, plan: Plan) => {
  const { isAt, afterMs } = plan;
  if (!isAt) return { input: { plan }, schedule: { afterMs } };
  const at = Math.round(now() + afterMs);
  return { input: { plan: { ...plan, at } }, schedule: { at: new Date(at) } };
};

const toOptions = ({
  windowMs,
  ...key
}: NonNullable<Plan["deduplication"]>): DeduplicationOptions =>
  windowMs === null ? key : { ...key, windowMs };

/**
 * The options of a start, for one or among several. `shared`: existing sequences that it waits for
 * as well.
 */
const startOptions = (
  means: StartMeans,
  context: object,
  plan: Plan,
  shared: readonly StartedPlan[],
): StartOptions => {
  const { priority, blockers, onBlockerFailure, deduplication } = plan;
  const common = {
    ...scheduled(means, plan),
    priority,
    ...(deduplication === null ? {} : { deduplication: toOptions(deduplication) }),
  };
  if (blockers === null) return { ...common, typeName: "step" };
  const startBlockers = async (): Promise<readonly StartedPlan[]> => [
    ...(await startBlockersOf(means, context, blockers)),
    // It could wait for one that has failed, and cannot be retried while this one has its key.
    ...(deduplication === null || deduplication.windowMs === null ? shared : []),
  ];
  return { ...common, typeName: "gather", ...{ onBlockerFailure, startBlockers } };
};

/** Starts plans in the transaction at hand: one by itself, several in one call. */
export const startPlans = async (
  means: StartMeans,
  context: object,
  plans: readonly Plan[],
  shared: readonly StartedPlan[] = [],
): Promise<readonly (StartedPlan & { readonly deduplicated: boolean })[]> => {
  const all = plans.map((plan) => startOptions(means, context, plan, shared));
  const [only, ...more] = all;
  if (only === undefined) return [];
  // Whether a plan has blockers is only known when it runs: too late for the types of the options.
  const started =
    more.length === 0
      ? [await means.queuert.startJobSequence({ ...context, ...only } as never)]
      : await means.queuert.startJobSequences({ ...context, sequences: all } as never);
  return (started as readonly (StartedPlan & { readonly deduplicated: boolean })[]).map(
    ({ id, typeName, deduplicated }) => ({ id, typeName, deduplicated }),
  );
};

interface LoadJob {
  readonly id: string;
  readonly attempt: number;
  readonly leaseVersion: number;
  readonly blockers: readonly { readonly id: string }[];
  readonly input: { readonly plan: Plan };
}

type AnyComplete = ((outcome: unknown) => Promise<never>) & {
  readonly continueWith: (options: unknown) => Promise<never>;
};
type AnyPrepare = (options: { readonly mode: "atomic" | "staged" }) => Promise<void>;

/** Types aside: the same for every type of the load. */
export const runPlan = async (
  surroundings: LoadSurroundings,
  context: {
    readonly job: LoadJob;
    readonly signal: AbortSignal;
    readonly prepare: AnyPrepare;
    readonly complete: AnyComplete;
  },
): Promise<never> => {
  const { job, signal, prepare, complete } = context;
  const { plan } = job.input;
  const { path } = plan;
  surroundings.note({
    kind: "began",
    at: surroundings.now(),
    process: surroundings.processName,
    jobId: job.id,
    path,
    attempt: job.attempt,
    leaseVersion: job.leaseVersion,
    blockerSequenceIds: job.blockers.map(({ id }) => id),
  });
  const ended = (how: Ended["how"]): void => {
    const { id: jobId, leaseVersion } = job;
    surroundings.note({ kind: "ended", at: surroundings.now(), jobId, leaseVersion, how });
  };
  try {
    if (plan.mode === "atomic" || plan.mode === "staged") await prepare({ mode: plan.mode });
    if (job.attempt <= plan.hangTimes) await untilAborted(signal);
    await misbehave(surroundings, job, plan);
    if (plan.workMs > 0) await surroundings.sleep(plan.workMs);
    const completion = await completePlan(surroundings, job, plan, complete);
    if (job.attempt <= plan.throwsAfterComplete) throw new Error("thrown after complete");
    ended("completed");
    return completion;
  } catch (error) {
    ended(error instanceof RescheduleJobError ? "rescheduled" : "threw");
    throw error;
  }
};

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const give = (): void => reject(new Error(`hung until ${String(signal.reason)}`));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });

const misbehave = async (
  { rescheduled, isRepaired }: LoadSurroundings,
  job: LoadJob,
  plan: Plan,
): Promise<void> => {
  const { path } = plan;
  if (plan.isHopeless && !isRepaired(job.id)) throw new UnrecoverableJobError("hopeless");
  if (plan.isBroken && !isRepaired(job.id)) throw new Error("broken");
  const count = rescheduled.get(path) ?? 0;
  if (count < plan.reschedules) {
    rescheduled.set(path, count + 1);
    rescheduleJob({ afterMs: 50 });
  }
  if (job.attempt <= plan.failTimes) throw new Error(`fails on purpose, attempt ${job.attempt}`);
};

const completePlan = (
  surroundings: LoadSurroundings,
  job: LoadJob,
  plan: Plan,
  complete: AnyComplete,
): Promise<never> => {
  const { path, next } = plan;
  const row = { jobId: job.id, leaseVersion: job.leaseVersion, path };
  if (usesCallback(plan)) {
    return complete(
      async ({ continueWith, ...tx }: { continueWith: (options: unknown) => Promise<unknown> }) => {
        if (writesRow(plan)) await surroundings.writeRow(tx, row);
        return next === null ? { path } : continueWith(continuation(surroundings, tx, next));
      },
    );
  }
  return next === null
    ? complete({ path })
    : complete.continueWith(continuation(surroundings, {}, next));
};

const continuation = (means: LoadSurroundings, context: object, plan: Plan): object => ({
  typeName: plan.blockers === null ? "step" : "gather",
  ...scheduled(means, plan),
  priority: plan.priority,
  ...(plan.blockers === null
    ? {}
    : {
        onBlockerFailure: plan.onBlockerFailure,
        startBlockers: () => startBlockersOf(means, context, plan.blockers ?? []),
      }),
});
