// The attempts of a test, from the events of its client. Events reach the user's own adapter as well.
import { mapMethods } from "../adapter-kit/wrap-adapters.ts";
import type { JobProcessingData } from "../adapters/events.ts";
import type { ObservabilityAdapter } from "../adapters/observability-adapter.ts";

/** How an attempt ended. `crashed`: as `crash` has asked for. `lost`: the job was settled elsewhere while it ran. */
export type TestOutcome =
  | "completed"
  | "continued"
  | "retried"
  | "failed"
  | "rescheduled"
  | "cancelled"
  | "lost"
  | "crashed";

/** The end of one attempt. */
export interface TestAttempt {
  readonly jobId: string;
  readonly typeName: string;
  readonly attempt: number;
  readonly outcome: TestOutcome;
  /** The error of the process function; undefined if it did not throw. */
  readonly error: unknown;
  /** When the next attempt is due; null if there is none. */
  readonly nextAttemptAt: Date | null;
}

export class Journal {
  readonly attempts: TestAttempt[] = [];
  /** The last error of each job that has not completed since. */
  readonly errors: Map<string, unknown> = new Map();
  readonly #running = new Map<string, JobProcessingData>();
  readonly #hasCrashed: (job: JobProcessingData) => boolean;

  constructor(hasCrashed: (job: JobProcessingData) => boolean) {
    this.#hasCrashed = hasCrashed;
  }

  /** The adapter of the client: this journal, and the user's own adapter if there is one. */
  observe(inner: ObservabilityAdapter = {}): ObservabilityAdapter {
    // Bound: the user's adapter may be an instance of a class.
    const bound = mapMethods<Record<string, unknown>>({ ...inner }, (method) => method);
    return { ...bound, ...joined(inner, this.#events()) };
  }

  #events(): Events {
    const addLost = (job: JobProcessingData): void =>
      this.#add(job, this.#hasCrashed(job) ? "crashed" : "lost");
    return {
      jobAttemptStarted: (data) => void this.#running.set(data.id, data),
      jobAttemptCompleted: (data) => this.#add(data, data.continued ? "continued" : "completed"),
      jobAttemptFailed: (data) =>
        this.#add(data, data.willRetry ? "retried" : "failed", {
          error: data.error,
          at: data.retryAt,
        }),
      jobAttemptRescheduled: (data) => this.#add(data, "rescheduled", { at: data.scheduledAt }),
      jobAttemptTakenByAnotherWorker: addLost,
      jobAttemptAlreadyCompleted: addLost,
      jobAttemptNotFound: addLost,
      // Of an attempt that runs. If its own handler has cancelled the job, no further event follows.
      jobCancelled: ({ id }) => {
        const running = this.#running.get(id);
        if (running !== undefined) this.#add(running, "cancelled");
      },
    };
  }

  #add(
    { id: jobId, typeName, attempt }: JobProcessingData,
    outcome: TestOutcome,
    { error, at = null }: { readonly error?: unknown; readonly at?: Date | null } = {},
  ): void {
    this.#running.delete(jobId);
    this.attempts.push({ jobId, typeName, attempt, outcome, error, nextAttemptAt: at });
    if (error !== undefined) this.errors.set(jobId, error);
    else if (outcome !== "lost" && outcome !== "crashed") this.errors.delete(jobId);
  }
}

type Events = Pick<
  Required<ObservabilityAdapter>,
  | "jobAttemptStarted"
  | "jobAttemptCompleted"
  | "jobAttemptFailed"
  | "jobAttemptRescheduled"
  | "jobAttemptTakenByAnotherWorker"
  | "jobAttemptAlreadyCompleted"
  | "jobAttemptNotFound"
  | "jobCancelled"
>;

/** Each event to both. */
const joined = (inner: ObservabilityAdapter, own: Events): Partial<ObservabilityAdapter> => {
  const both: Record<string, unknown> = {};
  for (const [name, receive] of Object.entries(own)) {
    both[name] = (data: never): void => {
      (receive as (data: never) => void)(data);
      (inner[name as keyof Events] as ((data: never) => void) | undefined)?.call(inner, data);
    };
  }
  return both;
};
