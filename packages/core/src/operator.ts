// `queuert/operator`: search, explain and plans, for dashboards, command lines and agents. Workers do not load it.
export { createOperator } from "./operator/create-operator.ts";
export type * from "./operator/operator-types.ts";
export type * from "./operator/read-types.ts";
export type * from "./public-types/explanation.ts";
export { filterTerms, inputPathTerm } from "./operator/filter/term-table.ts";
export type { TermCompletion, TermCost, TermDefinition } from "./operator/filter/term-table.ts";
export { parseFilter } from "./operator/filter/parse-filter.ts";
export type { ParsedFilter, ParsedTerm } from "./operator/filter/parse-filter.ts";
export { quoteText } from "./operator/filter/quote-text.ts";
export * from "./operator/operator-errors.ts";
export type { RefusedJob } from "./operator/plans/actions.ts";
export type { ApplyOptions, ApplyProgress, ApplyResult } from "./operator/plans/apply.ts";
export type { Plan, PlanOptions, PlanRefusals } from "./operator/plans/plan.ts";
export type { EditedSchedule } from "./operator/edit-schedule.ts";
export type { ControlAction, ControlOptions, ControlResult } from "./operator/controls.ts";
export type {
  BackfillPlan,
  BackfillPreview,
  BackfillRange,
  PlanBackfillOptions,
} from "./operator/plans/plan-backfill.ts";
export type { PlanAction, PlanContent, PlannedBackfill } from "./operator/plans/plan-token.ts";
export type {
  PayloadToRedact,
  PayloadView,
  RedactOption,
  RedactTextOption,
} from "./operator/redact/redact.ts";
export type { FailureGroup } from "./operator/views/failures.ts";
export type { JobLog, JobLogLine } from "./operator/views/job-log.ts";
export type { AttemptLogLevel } from "./public-types/attempt-log.ts";
export type {
  MetricBucket,
  MetricsReport,
  MetricValues,
  Percentiles,
  TypeMetrics,
} from "./operator/views/metrics.ts";
export type { OperatorFeatures } from "./operator/views/features.ts";
export type { JobDetail, JobView, PayloadHead } from "./operator/views/job-view.ts";
export type { Attention } from "./operator/views/attention.ts";
export type { HealthFinding, HealthReport } from "./operator/views/health.ts";
export type { StopWatching, WatchOptions } from "./operator/watch.ts";
export type { Overview, RecentAttempts, Totals, TypeOverview } from "./operator/views/overview.ts";
export type { ListedSequence, SequenceView } from "./operator/views/sequence-view.ts";
export type { ScheduleDetail, ScheduleView } from "./operator/views/schedule-view.ts";
export type { JobTree, TreeSequence } from "./operator/views/tree.ts";
export type { LimitKeyView, LimitView } from "./operator/views/limit-view.ts";
export type {
  LimitKeysPage,
  LimitKeyTurn,
  ListedLimitKey,
} from "./operator/views/listed-limit-key.ts";
export type { LibraryVersion, WorkerView } from "./operator/views/worker-view.ts";
export type { BlockerEdge } from "./adapters/state-adapter-queries.ts";
export type { StatePause } from "./adapters/state-adapter-params.ts";
export type { StoredAction } from "./adapters/operator-actions.ts";
export type {
  ProcessIdentity,
  StoredAttempt,
  StoredWorker,
  WorkerBeat,
  WorkerType,
} from "./adapters/operator-store.ts";
