// The parameters and the result of `updateJobs`.
import type { ScheduleOptions } from "../model/schedule.ts";
import type { JobLimitKey, JsonText, StateJob } from "../model/state-job.ts";

/** The argument of `updateJobs`. */
export interface UpdateJobsParams<TTxContext, TJobId> {
  readonly context?: TTxContext | undefined;
  readonly jobs: readonly {
    readonly id: TJobId;
    /** Null: kept, as every other field that is null. */
    readonly input: JsonText | null;
    readonly schedule: ScheduleOptions | null;
    readonly priority: number | null;
    /** Bounds the due time of `schedule`. */
    readonly dueWithinMs: number | null;
    /** Null: it stands under no key afterwards. Left out: kept. */
    readonly limitKey?: JobLimitKey | null | undefined;
  }[];
}

/** The result of `updateJobs` for one job. */
export type UpdateResult =
  | { readonly kind: "updated"; readonly job: StateJob }
  | { readonly kind: "refused"; readonly reason: "not_found" | "not_updatable" };
