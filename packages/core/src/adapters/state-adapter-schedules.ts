// The parameters and results of the methods of StateAdapter for schedules. One block per method, in the order of the contract.
import type { PageOrder } from "../model/page.ts";
import type { JsonText } from "../model/state-job.ts";
import type { TickKind, TickOutcome } from "../model/tick.ts";

/** A schedule as it is stored. The store decides by `name`, `lookAt` and `isDeclared`, and keeps the rest. */
export interface StateSchedule {
  readonly name: string;
  /** When a worker looks at it next; null: never, such as while it is paused. */
  readonly lookAt: Date | null;
  /** Declared in code, not made at run time. */
  readonly isDeclared: boolean;
  /** All other fields, written and read by core. */
  readonly definition: JsonText;
}

/** One instant of a schedule, and its outcome. Only manual ticks share an instant with others. */
export interface StateTick {
  readonly scheduleName: string;
  readonly tickAt: Date;
  readonly kind: TickKind;
  readonly outcome: TickOutcome;
  /** The sequence that the tick started, or found by its key. */
  readonly sequenceId: string | null;
  readonly firedAt: Date;
}

// takeDueSchedules

/** The argument of `takeDueSchedules`. */
export interface TakeDueSchedulesParams<TTxContext> {
  readonly context: TTxContext;
  readonly limit: number;
}

/** The result of `takeDueSchedules`. */
export interface TakenSchedules {
  /** The store's clock during the statement. */
  readonly now: Date;
  readonly schedules: readonly StateSchedule[];
}

// lockSchedules

/** The argument of `lockSchedules`. */
export interface LockSchedulesParams<TTxContext> {
  readonly context: TTxContext;
  readonly names: readonly string[];
}

/** The result of `lockSchedules`. */
export interface LockedSchedules {
  /** The store's clock during the statement. */
  readonly now: Date;
  readonly schedules: readonly (StateSchedule | undefined)[];
}

// writeSchedules

/** The argument of `writeSchedules`. */
export interface WriteSchedulesParams<TTxContext> {
  readonly context: TTxContext;
  readonly schedules: readonly {
    readonly schedule: StateSchedule;
    /** Stored only if its name is free. Otherwise this transaction has locked it, and it is replaced. */
    readonly isNew: boolean;
  }[];
}

// deleteSchedules

/** The argument of `deleteSchedules`. */
export interface DeleteSchedulesParams<TTxContext> {
  readonly context: TTxContext;
  readonly names: readonly string[];
}

// listSchedules

/** Every field narrows; null does not. */
export interface ListSchedulesParams<TContext> {
  readonly context?: TContext | undefined;
  readonly names: readonly string[] | null;
  readonly isDeclared: boolean | null;
  readonly afterName: string | null;
  readonly limit: number;
}

// recordTicks

/** The argument of `recordTicks`. */
export interface RecordTicksParams<TTxContext> {
  readonly context: TTxContext;
  readonly ticks: readonly StateTick[];
}

// listScheduleTicks

/** The place of a tick in the history of its schedule: manual ticks come after others of their instant. */
export interface TickPlace {
  readonly tickAt: Date;
  readonly isManual: boolean;
}

/** The argument of `listScheduleTicks`. */
export interface ListScheduleTicksParams<TContext> {
  readonly context?: TContext | undefined;
  readonly scheduleName: string;
  /** Inclusive. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  readonly after: TickPlace | null;
  readonly order: PageOrder;
  readonly limit: number;
}

// deleteScheduleTicks

/** The argument of `deleteScheduleTicks`. */
export interface DeleteScheduleTicksParams {
  readonly firedForMs: number;
  readonly limit: number;
}
