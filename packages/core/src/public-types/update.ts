import type { WrittenInput } from "../job-types/definition.ts";
import type { ScheduleOptions } from "../model/schedule.ts";

/** One change of a job that does not run. A field that is left out is kept. */
export type JobUpdate<
  TJobId extends string,
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = {
  readonly [TName in TTypeName]: {
    readonly id: TJobId;
    /** That of the job: another one is refused. */
    readonly typeName: TName;
    /** Default: kept. */
    readonly input?: WrittenInput<TDefinitions[TName]> | undefined;
    /** Counts from now, by the clock of the store. Default: kept. */
    readonly schedule?: ScheduleOptions | undefined;
    /** From -32767 to 32767, higher first. Default: kept. */
    readonly priority?: number | undefined;
  };
}[TTypeName];

/** The result of `updateJobs` for one job. */
export type UpdateJobResult<TJobId extends string = string> =
  | { readonly id: TJobId; readonly updated: true }
  | {
      readonly id: TJobId;
      readonly updated: false;
      /** `not_updatable`: it runs, or has completed or been cancelled. */
      readonly reason: "not_found" | "not_updatable" | "other_type";
    };
