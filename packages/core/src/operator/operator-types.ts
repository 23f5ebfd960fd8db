// The operator as its faces use it.
import type { StoredAction } from "../adapters/operator-actions.ts";
import type { Page } from "../model/page.ts";
import type { Explanation } from "../public-types/explanation.ts";
import type { ScheduleTiming } from "../public-types/schedules.ts";
import type { ControlOptions, ControlResult } from "./controls.ts";
import type { ParsedFilter } from "./filter/parse-filter.ts";
import type { ApplyOptions, ApplyResult } from "./plans/apply.ts";
import type {
  BackfillPlan,
  BackfillPreview,
  BackfillRange,
  PlanBackfillOptions,
} from "./plans/plan-backfill.ts";
import type { Plan, PlanOptions } from "./plans/plan.ts";
import type { PlanContent } from "./plans/plan-token.ts";
import type { PayloadView, RedactOption, RedactTextOption } from "./redact/redact.ts";
import type { OperatorFeatures } from "./views/features.ts";
import type { JobLog } from "./views/job-log.ts";
import type { JobDetail } from "./views/job-view.ts";
import type { ScheduleDetail, ScheduleView } from "./views/schedule-view.ts";
import type { HealthReport } from "./views/health.ts";
import type { LimitKeysPage } from "./views/listed-limit-key.ts";
import type { JobTree } from "./views/tree.ts";
import type { MetricsReport } from "./views/metrics.ts";
import type { WorkerView } from "./views/worker-view.ts";
import type { Overview } from "./views/overview.ts";
import type { StopWatching, WatchOptions } from "./watch.ts";
import type {
  CheckHealthOptions,
  CountJobsOptions,
  CountReport,
  DependantsPage,
  ListDependantsOptions,
  SearchJobsOptions,
  SearchSequencesOptions,
  SequencesPage,
  JobsPage,
  ListFailuresOptions,
  GetTreeOptions,
  ListLimitKeysOptions,
  GetScheduleOptions,
  ListScheduleViewsOptions,
  FailuresReport,
  GetLogsOptions,
  GetMetricsOptions,
} from "./read-types.ts";

/** The options of `createOperator`. */
export interface OperatorOptions {
  /** The client that `createQueuert` returned. Its state adapter is read, its methods write. */
  readonly queuert: object;
  /** How payloads are shown. Default: `redacted`. */
  readonly payloads?: PayloadView | undefined;
  /**
   * Paths in payloads whose values are hidden, by job type; `*` is every type. Or a function that returns a payload as it may be
   * shown. Default: none but secret keys.
   */
  readonly redact?: RedactOption | undefined;
  /** Returns each error and each logged line as it may be shown. Default: they are shown whole. With `payloads: "raw"` it is not called. */
  readonly redactText?: RedactTextOption | undefined;
  /** Refuses plans. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** Signs plans. Several processes that share it apply each other's plans. Default: a random one. */
  readonly secret?: string | undefined;
  /** How long a plan may be applied, in milliseconds. Default: 10 minutes. */
  readonly planTtlMs?: number | undefined;
  /** How many jobs one search looks at. Default: 100,000. */
  readonly examineStep?: number | undefined;
  /** How long a read may take, in milliseconds. Then it rejects with `OperatorTimeoutError`. Default: 5,000. */
  readonly queryTimeoutMs?: number | undefined;
  /** Called after each applied plan, for an audit. Default: none. */
  readonly onAction?: ((action: AppliedAction) => void) | undefined;
}

/** A plan that was applied. */
export interface AppliedAction {
  readonly action: PlanContent["action"];
  readonly filter: string | null;
  readonly ids: readonly string[] | null;
  readonly user: string | null;
  /** That of the plan. */
  readonly count: number;
  readonly result: ApplyResult;
}

/** Search, explain and plans. */
export interface Operator {
  /** The parts that the store has. */
  readonly features: OperatorFeatures;

  /** The store's clock, or that of this process if the store does not give its own. */
  readClock(): Promise<Date>;

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

  /** The lines that the last attempts of a job logged. Empty if the store keeps none. */
  getLogs(options: GetLogsOptions): Promise<JobLog>;

  /**
   * One page of sequences, by the creation of their first job. A filter is compared with the current job of each; `since`,
   * `until`, `key`, `origin` and `id` with the first one. Looks at 10,000 sequences at most, and says how far it looked.
   */
  listSequences(options?: SearchSequencesOptions): Promise<SequencesPage>;

  /** How many jobs match a filter, from a bounded look. */
  countJobs(options?: CountJobsOptions): Promise<CountReport>;

  /** One page of the jobs that wait or waited for a sequence, by id. */
  listDependants(options: ListDependantsOptions): Promise<DependantsPage>;

  /** Why a job does not run, and how it goes on. */
  explain(options: {
    readonly id: string;
    /** How many of the last lines of a running attempt are read, up to 100. Default: 0. */
    readonly logTail?: number | undefined;
  }): Promise<Explanation>;

  /** The state of the store: first the types that need attention, then numbers. */
  getOverview(): Promise<Overview>;

  /**
   * How many attempts ended by minute or by hour, and how long they ran and waited. Reported by workers every 10 to 30 s. Empty
   * if the store keeps no metrics.
   */
  getMetrics(options?: GetMetricsOptions): Promise<MetricsReport>;

  /** Failed jobs grouped by cause, from the newest 10,000. */
  listFailures(options?: ListFailuresOptions): Promise<FailuresReport>;

  /** The workers of the last day, the newest report first. Empty if the store keeps no registry. */
  listWorkers(): Promise<readonly WorkerView[]>;

  /** The applied plans of the last 90 days, the newest first. Empty if the store keeps none. */
  listActions(options?: {
    /** The most actions to return, from 1 to 1000. Default 50. */
    readonly limit?: number | undefined;
  }): Promise<readonly StoredAction[]>;

  /** The tree of a sequence, also of one that is not its root. */
  getTree(options: GetTreeOptions): Promise<JobTree>;

  /**
   * Calls `onHint` when jobs may have changed: when jobs become due, and when one of the sequences ends. Hints may be missed, so
   * also look from time to time. Other processes are heard only through a notify adapter.
   */
  watch(options: WatchOptions): Promise<StopWatching>;

  /** Looks for causes of trouble: jobs that nothing moves, workers, pauses, clocks, the server. Empty if all is well. */
  checkHealth(options?: CheckHealthOptions): Promise<HealthReport>;

  /** One page of schedules, by name. */
  listSchedules(options?: ListScheduleViewsOptions): Promise<Page<ScheduleView>>;

  /** One schedule with its next and its last ticks, or undefined. */
  getSchedule(options: GetScheduleOptions): Promise<ScheduleDetail | undefined>;

  /** The next 10 instants of a timing, before a schedule gets it. Rejects a wrong one, and says why. */
  previewSchedule(timing: ScheduleTiming): Promise<readonly Date[]>;

  /** How many instants of a schedule lie in a range of the past, and which of them were not started. */
  previewBackfill(range: BackfillRange): Promise<BackfillPreview>;

  /**
   * One page of the keys of a limit with their use: those with bounds of their own, a pause, or jobs that wait or run. Rejects
   * with `LimitsUnsupportedError` if the store lists no keys.
   */
  listLimitKeys(options: ListLimitKeysOptions): Promise<LimitKeysPage>;

  /** Changes pauses or schedules: one thing at once, recorded like an applied plan. */
  control(options: ControlOptions): Promise<ControlResult>;

  /** The plan behind a token, such as its action, to check the rights of a user. Refuses a forged or expired token. */
  readPlan(token: string): PlanContent;

  /** Plans an action: counts the jobs, and lists those that would be refused. Writes nothing. */
  plan(options: PlanOptions): Promise<Plan>;

  /**
   * Plans the start of the instants of a schedule that have not started: those of a range of the past, at most 10,000. Writes
   * nothing; `apply` starts them.
   */
  planBackfill(options: PlanBackfillOptions): Promise<BackfillPlan>;

  /** Applies a plan once, in small steps. Changes no more jobs than the plan counted. */
  apply(options: ApplyOptions): Promise<ApplyResult>;
}
