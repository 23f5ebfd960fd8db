// The operator as its faces use it.
import type { StoredAction } from "../adapters/operator-store.ts";
import type { PageOrder } from "../model/page.ts";
import type { Explanation } from "../public-types/explanation.ts";
import type { ParsedFilter } from "./filter/parse-filter.ts";
import type { ApplyOptions, ApplyResult } from "./plans/apply.ts";
import type { Plan, PlanOptions } from "./plans/plan.ts";
import type { PlanAction } from "./plans/plan-token.ts";
import type { PayloadView, RedactOption } from "./redact/redact.ts";
import type { FailureGroup } from "./views/failures.ts";
import type { JobDetail, JobView } from "./views/job-view.ts";
import type { WorkerView } from "./views/worker-view.ts";
import type { Overview } from "./views/overview.ts";

/** The options of `createOperator`. */
export interface OperatorOptions {
  /** The client that `createQueuert` returned. Its state adapter is read, its methods write. */
  readonly queuert: object;
  /** How payloads are shown. Default: `redacted`. */
  readonly payloads?: PayloadView | undefined;
  /** Paths in payloads whose values are hidden, by job type; `*` is every type. Default: none but secret keys. */
  readonly redact?: RedactOption | undefined;
  /** Refuses plans. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** Signs plans. Several processes that share it apply each other's plans. Default: a random one. */
  readonly secret?: string | undefined;
  /** How long a plan may be applied, in milliseconds. Default: 10 minutes. */
  readonly planTtlMs?: number | undefined;
  /** How many jobs one search looks at. Default: 100,000. */
  readonly examineStep?: number | undefined;
  /** Called after each applied plan, for an audit. Default: none. */
  readonly onAction?: ((action: AppliedAction) => void) | undefined;
}

/** A plan that was applied. */
export interface AppliedAction {
  readonly action: PlanAction;
  readonly filter: string | null;
  readonly ids: readonly string[] | null;
  readonly user: string | null;
  /** That of the plan. */
  readonly count: number;
  readonly result: ApplyResult;
}

/** Search, explain and plans. */
export interface Operator {
  /** Reads a filter, for an input field. Relative times count from now. */
  parseFilter(filter: string): ParsedFilter;

  /** One page of the jobs that match a filter. Looks at a bounded number of jobs, and says how far it looked. */
  listJobs(options?: SearchJobsOptions): Promise<JobsPage>;

  /** One job with its whole payloads and its attempts, or undefined. */
  getJob(options: {
    readonly id: string;
    /** How payloads are shown. Default: as the operator was created. */
    readonly payloads?: PayloadView | undefined;
  }): Promise<JobDetail | undefined>;

  /** Why a job does not run, and how it goes on. */
  explain(options: { readonly id: string }): Promise<Explanation>;

  /** The state of the store: first the types that need attention, then numbers. */
  getOverview(): Promise<Overview>;

  /** Failed jobs grouped by cause, from the newest 10,000. */
  listFailures(options?: ListFailuresOptions): Promise<FailuresReport>;

  /** The workers of the last day, the newest report first. Empty if the store keeps no registry. */
  listWorkers(): Promise<readonly WorkerView[]>;

  /** The applied plans of the last 90 days, the newest first. Empty if the store keeps none. */
  listActions(options?: {
    /** The most actions to return, from 1 to 1000. Default 50. */
    readonly limit?: number | undefined;
  }): Promise<readonly StoredAction[]>;

  /** Plans an action: counts the jobs, and lists those that would be refused. Writes nothing. */
  plan(options: PlanOptions): Promise<Plan>;

  /** Applies a plan once, in small steps. Changes no more jobs than the plan counted. */
  apply(options: ApplyOptions): Promise<ApplyResult>;
}

/** A search. */
export interface SearchJobsOptions {
  /** The filter, such as `status:failed type:send-mail`. Default: all jobs. */
  readonly filter?: string | undefined;
  /** By creation: `"desc"` (default), the newest first, or `"asc"`. */
  readonly order?: PageOrder | undefined;
  /** The most items of a page, from 1 to 1000. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | null | undefined;
  /** How payloads are shown. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
  /** Whole payloads and errors, for an export, instead of their first 256 characters. Default: false. */
  readonly wholePayloads?: boolean | undefined;
}

/** One page of a search. It may have no items although more jobs match: `nextCursor` looks further. */
export interface JobsPage {
  readonly items: readonly JobView[];
  /** Null: all jobs were looked at. */
  readonly nextCursor: string | null;
  /** How many jobs were looked at for this page. */
  readonly examined: number;
  readonly filter: ParsedFilter;
}

export interface ListFailuresOptions {
  /** Narrows the failed jobs. Default: all of them. */
  readonly filter?: string | undefined;
}

export interface FailuresReport {
  /** The store's clock. */
  readonly at: Date;
  /** The largest group first. */
  readonly groups: readonly FailureGroup[];
  /** Failed jobs in all groups. */
  readonly count: number;
  /** There are more failed jobs than were looked at. */
  readonly isAtLeast: boolean;
}
