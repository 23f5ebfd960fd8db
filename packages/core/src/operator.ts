// `queuert/operator`: search, explain and plans, for dashboards, command lines and agents. Workers do not load it.
export { createOperator } from "./operator/create-operator.ts";
export type * from "./operator/operator-types.ts";
export type * from "./public-types/explanation.ts";
export { filterTerms, inputPathTerm } from "./operator/filter/term-table.ts";
export type { TermCompletion, TermCost, TermDefinition } from "./operator/filter/term-table.ts";
export { parseFilter } from "./operator/filter/parse-filter.ts";
export type { ParsedFilter, ParsedTerm } from "./operator/filter/parse-filter.ts";
export * from "./operator/operator-errors.ts";
export type { RefusedJob } from "./operator/plans/actions.ts";
export type { ApplyOptions, ApplyProgress, ApplyResult } from "./operator/plans/apply.ts";
export type { Plan, PlanOptions, PlanRefusals } from "./operator/plans/plan.ts";
export type { PlanAction } from "./operator/plans/plan-token.ts";
export type { PayloadView, RedactOption } from "./operator/redact/redact.ts";
export type { FailureGroup } from "./operator/views/failures.ts";
export type { JobDetail, JobView, PayloadHead } from "./operator/views/job-view.ts";
export type { Attention, Overview, Totals, TypeOverview } from "./operator/views/overview.ts";
export type { WorkerView } from "./operator/views/worker-view.ts";
export type {
  ProcessIdentity,
  StoredAction,
  StoredAttempt,
  StoredWorker,
  WorkerBeat,
  WorkerType,
} from "./adapters/operator-store.ts";
