// Faults that a test asks for, between the engine and the store.
//
// A crash: the attempt ends with an error, and its outcome does not reach the store. The job keeps its lease, as after the end of
// a process. A failed call: the method rejects, before or after the store has done its work.
import { type AdapterMethod, mapMethods } from "../adapter-kit/wrap-adapters.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { LeaseReference } from "../adapters/state-adapter-params.ts";
import type { Completion } from "../public-types/process.ts";
import type { MiddlewareContext, WorkerMiddleware } from "../public-types/worker.ts";
import { SimulatedCrashError, SimulatedFaultError } from "./errors.ts";

export interface PlannedCrash {
  readonly typeName: string;
  /** Null: the next one. */
  readonly attempt: number | null;
  readonly when: "beforeProcessing" | "afterSideEffects";
}

interface PlannedFault {
  readonly method: string;
  readonly answerLost: boolean;
  readonly error: unknown;
  times: number;
}

const isSame = (a: LeaseReference, b: LeaseReference): boolean =>
  a.jobId === b.jobId && a.leaseVersion === b.leaseVersion;

const lost = { kind: "lost", reason: "taken_by_another_worker" } as const;

export class Faults {
  readonly #crashes: PlannedCrash[] = [];
  readonly #faults: PlannedFault[] = [];
  /** Attempts whose process has ended, as far as the store can tell. */
  readonly #crashed: LeaseReference[] = [];
  /** Only jobs of this type are acquired; null: of all. */
  onlyType: string | null = null;

  planCrash(crash: PlannedCrash): void {
    this.#crashes.push(crash);
  }

  planFault(fault: PlannedFault): void {
    this.#faults.push(fault);
  }

  hasCrashed(lease: LeaseReference): boolean {
    return this.#crashed.some((one) => isSame(one, lease));
  }

  /** Around the process function of every job: the innermost middleware. */
  readonly middleware: WorkerMiddleware = async (
    { job }: MiddlewareContext,
    next,
  ): Promise<Completion> => {
    const index = this.#crashes.findIndex(
      ({ typeName, attempt }) =>
        typeName === job.typeName && (attempt === null || attempt === job.attempt),
    );
    const [crash] = index < 0 ? [] : this.#crashes.splice(index, 1);
    if (crash === undefined) return next();
    if (crash.when === "afterSideEffects") await next();
    this.#crashed.push({ jobId: job.id, leaseVersion: job.leaseVersion });
    throw new SimulatedCrashError(job.id);
  };

  wrap(inner: AnyStateAdapter): AnyStateAdapter {
    const adapter = mapMethods(inner, (method, name) => this.#failing(method, name));
    const isTransient = inner.capabilities.isTransientError;
    return {
      ...adapter,
      capabilities: {
        ...inner.capabilities,
        isTransientError:
          isTransient && ((error) => error instanceof SimulatedFaultError || isTransient(error)),
      },
      acquireJobs: (params) => {
        const types = params.types.filter(
          ({ typeName }) => this.onlyType === null || typeName === this.onlyType,
        );
        return adapter.acquireJobs({ ...params, types });
      },
      rescheduleJobs: async (params) => {
        const alive = params.jobs.filter((job) => !this.hasCrashed(job));
        const results = await adapter.rescheduleJobs({ ...params, jobs: alive });
        return params.jobs.map((job) => results[alive.indexOf(job)] ?? lost);
      },
      failJobs: async (params) => {
        const alive = params.jobs.filter((job) => !this.hasCrashed(job));
        const { results, ...others } = await adapter.failJobs({ ...params, jobs: alive });
        return {
          results: params.jobs.map((job) => results[alive.indexOf(job)] ?? lost),
          ...others,
        };
      },
    };
  }

  #failing(method: AdapterMethod, name: string): AdapterMethod {
    return async (...args) => {
      const index = this.#faults.findIndex((fault) => fault.method === name);
      const fault = this.#faults[index];
      if (fault === undefined) return method(...args);
      fault.times -= 1;
      if (fault.times <= 0) this.#faults.splice(index, 1);
      if (fault.answerLost) await method(...args);
      throw fault.error;
    };
  }
}

/** The name of a method that can fail on demand. */
export type FaultyMethod = Extract<
  keyof AnyStateAdapter,
  | "createJobs"
  | "addBlockers"
  | "acquireJobs"
  | "renewLeases"
  | "completeJobs"
  | "rescheduleJobs"
  | "failJobs"
  | "cancelSequences"
  | "reclaimExpiredLeases"
  | "retryFailedJobs"
  | "updateJobs"
  | "triggerJobs"
  | "lockSequences"
  | "deleteSequences"
  | "deleteFinishedSequences"
  | "nextScheduleInMs"
  | "takeDueSchedules"
  | "writeSchedules"
  | "recordTicks"
  | "getJobs"
  | "getSequences"
  | "getBlockers"
  | "listJobs"
  | "listSequences"
>;

/** The methods of a state adapter that can fail on demand: all that are calls of the store. */
export const faultyMethods: readonly FaultyMethod[] = [
  "createJobs",
  "addBlockers",
  "acquireJobs",
  "renewLeases",
  "completeJobs",
  "rescheduleJobs",
  "failJobs",
  "cancelSequences",
  "reclaimExpiredLeases",
  "retryFailedJobs",
  "updateJobs",
  "triggerJobs",
  "lockSequences",
  "deleteSequences",
  "deleteFinishedSequences",
  "nextScheduleInMs",
  "takeDueSchedules",
  "writeSchedules",
  "recordTicks",
  "getJobs",
  "getSequences",
  "getBlockers",
  "listJobs",
  "listSequences",
];

export const createFault = (
  method: string,
  { answerLost = false, times = 1, error }: FaultOptions,
): PlannedFault => ({
  method,
  answerLost,
  times,
  error: error ?? new SimulatedFaultError(method, answerLost),
});

/** How a method fails. */
export interface FaultOptions {
  /** The store does its work, and only the answer is lost. Default: false, nothing reaches the store. */
  readonly answerLost?: boolean | undefined;
  /** How many calls fail. Default: 1. */
  readonly times?: number | undefined;
  /** The error of the call. Default: a `SimulatedFaultError`, which counts as transient. */
  readonly error?: Error | undefined;
}
