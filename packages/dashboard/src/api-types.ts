// The answers and bodies of the HTTP API below `api/v1`: the contract between the server and the page. Both compile against it.
// Times are ISO texts of the store's clock, durations are milliseconds.
import type { JobStatus } from "queuert";
import type {
  ApplyProgress,
  ApplyResult,
  BackfillPlan,
  BackfillPreview,
  Explanation,
  FailureGroup,
  FailuresReport,
  JobDetail,
  JobLog,
  JobTree,
  JobView,
  LimitKeysPage,
  ListedSequence,
  OperatorFeatures,
  Overview,
  MetricsReport,
  ParsedTerm,
  PayloadHead,
  Plan,
  PlanAction,
  ScheduleDetail,
  ScheduleView,
  StatePause,
  StoredAction,
  TermDefinition,
  TypeOverview,
  WorkerView,
} from "queuert/operator";

/** A value as JSON carries it. */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer TItem)[]
    ? readonly Json<TItem>[]
    : T extends object
      ? { readonly [TKey in keyof T]: Json<T[TKey]> }
      : T;

/** A single right. `read` is part of every grant. */
export type Right =
  | "read"
  | "payload"
  | "retry"
  | "trigger"
  | "cancel"
  | "delete"
  | "pause"
  | "schedule"
  | "start"
  | "logs";

/** `GET session` */
export interface SessionAnswer {
  /** The store's clock, as in every answer that has it. */
  readonly at: string;
  readonly user: string | null;
  readonly can: readonly Right[];
  /** The parts that this store has. A page of a missing part is not shown. */
  readonly features: OperatorFeatures;
  readonly store: { readonly name: string | null };
  /** As the option `environment` names it. `production` is shown in red. */
  readonly environment: string | null;
  readonly limits: {
    readonly listMax: number;
    readonly planIdsMax: number;
    /** Bytes of one piece of `GET payload`. */
    readonly payloadPieceMax: number;
  };
  readonly statuses: readonly JobStatus[];
  /** The terms of the filter language, for chips and completion. */
  readonly terms: readonly Omit<TermDefinition, "toCondition">[];
}

/** `GET overview` */
export type OverviewAnswer = Json<Overview>;

/** A term of a filter, as a chip. */
export type Chip = Omit<ParsedTerm, "condition">;

/** `GET jobs?q=&order=asc|desc&cursor=&limit=50` */
export interface JobsAnswer {
  readonly at: string;
  readonly items: readonly Json<JobView>[];
  /** Looks further. Null: all jobs were looked at. */
  readonly nextCursor: string | null;
  /** How many jobs were looked at for this page. */
  readonly examined: number;
  /** When the last job that was looked at was created. Null: all jobs were looked at. */
  readonly examinedTo: string | null;
  readonly parsed: readonly Chip[];
  readonly cost: "indexed" | "examined";
}

/** `GET sequences?q=&roots=true&order=asc|desc&cursor=&limit=50` */
export interface SequencesAnswer {
  readonly at: string;
  readonly items: readonly Json<ListedSequence>[];
  readonly nextCursor: string | null;
  /** How many sequences were looked at for this page. */
  readonly examined: number;
  readonly parsed: readonly Chip[];
  readonly cost: "indexed" | "examined";
}

/** `GET job?id=`: payloads are cut to 4,000 characters. `GET payload` has the rest. */
export interface JobAnswer {
  readonly job: Json<JobDetail>;
  /** Made by the option `links`. */
  readonly links: readonly Link[];
}

/** `GET logs?id=&cursor=`: the lines that were stored after the cursor of an earlier answer. Needs the right `logs`. */
export type LogsAnswer = Json<JobLog>;

/** A link to another page of the application. */
export interface Link {
  readonly label: string;
  readonly href: string;
}

/** `GET payload?id=&field=input|output|error&offset=0` */
export interface PayloadAnswer {
  /** A piece of the text as it may be shown. */
  readonly text: string;
  /** Characters of the whole text as it may be shown. */
  readonly length: number;
  /** Null: this is the last piece. */
  readonly nextOffset: number | null;
}

/** `GET explain?id=` */
export type ExplainAnswer = Json<Explanation>;

/** `GET failures?q=` */
export type FailuresAnswer = Json<FailuresReport>;

/** `GET metrics?type=&range=1h|3h|24h|30d`: the history of all types, or of one. */
export type MetricsAnswer = Json<MetricsReport>;

/** `GET workers` */
export interface WorkersAnswer {
  readonly items: readonly Json<WorkerView>[];
}

/** `GET tree?sequence=&limit=500`: the whole tree of a sequence, for its lanes. */
export type TreeAnswer = Json<JobTree>;

/** `GET type?name=`: one type, from reads that are bounded or kept for a moment. */
export interface TypeAnswer {
  readonly at: string;
  /** Null: no unfinished or failed job, and no worker, has the type. */
  readonly type: Json<TypeOverview> | null;
  /** That of the type and that of every type. */
  readonly pauses: readonly Json<StatePause>[];
  /** Those that implement the type. */
  readonly workers: readonly Json<WorkerView>[];
  readonly failures: readonly Json<FailureGroup>[];
  /** The newest jobs of the type. */
  readonly recent: readonly Json<JobView>[];
}

/** `GET schedules?cursor=&limit=50` */
export interface SchedulesAnswer {
  readonly items: readonly Json<ScheduleView>[];
  readonly nextCursor: string | null;
}

/** `GET schedule?name=` */
export type ScheduleAnswer = Json<ScheduleDetail>;

/** `GET schedule-preview?cron=&timeZone=` or `?everyMs=` */
export interface SchedulePreviewAnswer {
  readonly next: readonly string[];
}

/** `GET backfill-preview?name=&from=&to=`: the instants of a schedule in a range of the past. */
export type BackfillPreviewAnswer = Json<BackfillPreview>;

/** `GET limit-keys?limitName=&fromKey=&limit=50`: only if `features.limitKeys`. */
export type LimitKeysAnswer = Json<LimitKeysPage>;

/** `GET actions?limit=50` */
export interface ActionsAnswer {
  readonly items: readonly Json<StoredAction>[];
}

/** `GET suggest?field=type&prefix=`: values of a term, never from payloads. */
export interface SuggestAnswer {
  readonly values: readonly string[];
}

/** `POST plans`: `ids` or `filter`, or the range of a backfill. Needs the right of the action; of a backfill `schedule`. */
export type PlanRequest =
  | {
      readonly action: PlanAction;
      readonly ids?: readonly string[];
      readonly filter?: string;
    }
  | {
      readonly action: "backfill";
      readonly name: string;
      readonly from: string;
      readonly to: string;
      readonly overlap?: ScheduleView["overlap"];
    };
export type PlanAnswer = Json<Plan | BackfillPlan>;

/** `POST apply`: answers lines of `ApplyLine` (`application/x-ndjson`). The end of the connection stops it. */
export interface ApplyRequest {
  readonly token: string;
  /** The number of the plan, if its `confirm` is `"count"`. */
  readonly count?: number;
  /** At most so many a minute. Left out: at once. */
  readonly pacePerMinute?: number;
}
export type ApplyLine =
  | ({ readonly kind: "progress" } & Json<ApplyProgress>)
  | ({ readonly kind: "finished" } & Json<ApplyResult>)
  | { readonly kind: "failed"; readonly error: ApiError };

/** `POST stop`: stops an `apply` of the same process after its current step. */
export interface StopRequest {
  readonly token: string;
}
export interface StopAnswer {
  /** False: no such plan is being applied here. */
  readonly stopped: boolean;
}

/** `POST act`: one thing at once, without a plan. */
export type ActRequest =
  | { readonly action: "retry" | "trigger"; readonly id: string }
  | {
      readonly action: "pause";
      /** Null: every type, as a pause of its own. */
      readonly typeName: string | null;
      readonly forMs?: number;
      readonly note?: string;
    }
  | { readonly action: "resume"; readonly typeName: string | null }
  | {
      readonly action: "pause_key";
      readonly limitName: string;
      readonly key: string;
      readonly forMs?: number;
      readonly note?: string;
    }
  | { readonly action: "resume_key"; readonly limitName: string; readonly key: string }
  | { readonly action: "pause_schedule"; readonly name: string; readonly note?: string }
  | { readonly action: "resume_schedule" | "trigger_schedule"; readonly name: string }
  | {
      readonly action: "edit_schedule";
      readonly name: string;
      readonly cron?: string;
      readonly timeZone?: string;
      readonly everyMs?: number;
      readonly overlap?: ScheduleView["overlap"];
    };
export interface ActAnswer {
  readonly done: boolean;
  /** Why it was refused; null: it was done. */
  readonly reason: string | null;
}

/** The body of every answer that is not 2xx. */
export interface ApiError {
  readonly code: string;
  readonly message: string;
  /** Of an invalid filter: the place in it. */
  readonly detail?: { readonly position: number; readonly length: number };
}

export type { PayloadHead };
