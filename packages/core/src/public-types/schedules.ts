// Schedules as users write and read them, and the methods of the client for them.
import type { WrittenInput } from "../job-types/definition.ts";
import type { Page, PageOrder } from "../model/page.ts";
import type { TickKind, TickOutcome } from "../model/tick.ts";
import type { OptionalContext } from "./context.ts";
import type { SchedulableTypeName } from "./start.ts";

/** The instants of a schedule: by a cron expression in a time zone, or at an interval. */
export type ScheduleTiming =
  | {
      /** Five fields, six with seconds first, or a macro such as `@daily`. */
      readonly cron: string;
      /** An IANA zone, such as `"Europe/Berlin"`. Default `"UTC"`. */
      readonly timeZone?: string | undefined;
      readonly everyMs?: undefined;
      readonly anchor?: undefined;
    }
  | {
      /** At least 1,000. Counted from `anchor`, so the instants do not drift. */
      readonly everyMs: number;
      /** One of the instants. Default: 1 January 1970, UTC. */
      readonly anchor?: Date | undefined;
      readonly cron?: undefined;
      readonly timeZone?: undefined;
    };

/**
 * If a tick comes while a sequence of the schedule is unfinished, `"skip"` leaves the tick out. `"bufferOne"` starts one
 * afterwards. `"allow"` starts another sequence beside it. `"cancelRunning"` cancels it with its tree and starts anew: of
 * several ticks at once, the last. A sequence that another job waits for is not cancelled, and the tick is left out.
 */
export type ScheduleOverlap = "skip" | "allow" | "bufferOne" | "cancelRunning";

/**
 * Which late ticks still start: the `"latest"`, none (`"skip"`), or all that are not older than `withinMs`. A tick is late
 * if it is fired more than `graceMs` after its instant.
 */
export type ScheduleCatchUp = "latest" | "skip" | { readonly withinMs: number };

interface ScheduleRules {
  /** Default `"skip"`. */
  readonly overlap?: ScheduleOverlap | undefined;
  /** Default `"latest"`. */
  readonly catchUp?: ScheduleCatchUp | undefined;
  /** A tick that is fired later counts as late. Default 60,000. */
  readonly graceMs?: number | undefined;
  /** Delays each job by a part of this time, always the same for the same instant. Default 0. */
  readonly jitterMs?: number | undefined;
  /** The priority of the jobs. Default 0. */
  readonly priority?: number | undefined;
  /** No tick before this instant. Default: none. */
  readonly startsAt?: Date | undefined;
  /** No tick after this instant. Default: none. */
  readonly endsAt?: Date | undefined;
}

/** A schedule of one job type. */
export type ScheduleDefinition<TDefinitions, TTypeName extends keyof TDefinitions & string> = {
  readonly typeName: SchedulableTypeName<TDefinitions, TTypeName>;
  readonly input: WrittenInput<TDefinitions[TTypeName]>;
} & ScheduleTiming &
  ScheduleRules;

/** One element of `upsertSchedules` for each type name, in order. */
export type UpsertEachOptions<
  TDefinitions,
  TTypeNames extends readonly (keyof TDefinitions & string)[],
> = readonly [
  ...{
    [TIndex in keyof TTypeNames]: { readonly name: string } & ScheduleDefinition<
      TDefinitions,
      TTypeNames[TIndex]
    >;
  },
];

/** A stored schedule. */
export interface Schedule<TTypeName extends string = string> {
  readonly name: string;
  readonly typeName: TTypeName;
  readonly input: unknown;
  readonly priority: number;
  /** Null for an interval. */
  readonly cron: string | null;
  readonly timeZone: string;
  /** Null for a cron expression. */
  readonly everyMs: number | null;
  readonly anchor: Date;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly overlap: ScheduleOverlap;
  readonly catchUp: ScheduleCatchUp;
  readonly graceMs: number;
  readonly jitterMs: number;
  /** Declared in code, not made at run time. */
  readonly isDeclared: boolean;
  /** The revision of the code that declared it. */
  readonly revision: number | null;
  /** Null while it is not paused. */
  readonly pausedAt: Date | null;
  readonly pauseNote: string | null;
  /** The next tick; null after the last one. While it is paused: the first tick that was left out. */
  readonly nextAt: Date | null;
  /** A tick that waits for the end of a sequence. */
  readonly bufferedAt: Date | null;
  readonly lastTickAt: Date | null;
  /** The reason why the last firing failed; null after a firing that succeeded. */
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** One tick of the history of a schedule. */
export interface ScheduleTick<TJobId extends string = string> {
  readonly schedule: string;
  readonly at: Date;
  readonly kind: TickKind;
  readonly outcome: TickOutcome;
  /** The sequence that it started, or found. */
  readonly sequenceId: TJobId | null;
  /** When its outcome was stored. */
  readonly firedAt: Date;
}

/** The methods of a client for schedules. */
export interface ScheduleMethods<TDefinitions, TTxContext, TJobId extends string> {
  /**
   * Stores schedules by name, new or changed. A change of the instants fires the ticks that are due already, and counts from
   * now. All other changes keep the next tick, and the schedule stays paused if it was.
   */
  upsertSchedules<const TTypeNames extends readonly (keyof TDefinitions & string)[]>(
    options: OptionalContext<TTxContext> & {
      readonly schedules: UpsertEachOptions<TDefinitions, TTypeNames>;
    },
  ): Promise<readonly Schedule<keyof TDefinitions & string>[]>;

  /** Deletes schedules with their history. Returns the names that existed. Their sequences stay. */
  deleteSchedules(
    options: OptionalContext<TTxContext> & { readonly names: readonly string[] },
  ): Promise<readonly string[]>;

  /** Stops the ticks until `resumeSchedules`. */
  pauseSchedules(
    options: OptionalContext<TTxContext> & {
      readonly names: readonly string[];
      /** Shown with the schedule. At most 255 characters. */
      readonly note?: string | undefined;
    },
  ): Promise<readonly Schedule<keyof TDefinitions & string>[]>;

  /** Ends a pause. The next tick is counted from now, or `catchUp` decides which ticks of the pause start. */
  resumeSchedules(
    options: OptionalContext<TTxContext> & {
      readonly names: readonly string[];
      /** Default `"skip"`. */
      readonly catchUp?: ScheduleCatchUp | undefined;
    },
  ): Promise<readonly Schedule<keyof TDefinitions & string>[]>;

  /** Ticks now, paused or not. The overlap is that of the schedule unless one is given. */
  triggerSchedules(
    options: OptionalContext<TTxContext> & {
      readonly names: readonly string[];
      readonly overlap?: ScheduleOverlap | undefined;
    },
  ): Promise<readonly ScheduleTick<TJobId>[]>;

  /** Starts every instant of the range that has not started yet, at most 10,000. Repeating it starts nothing twice. */
  backfillSchedule(
    options: OptionalContext<TTxContext> & {
      readonly name: string;
      /** Inclusive. */
      readonly from: Date;
      /** Exclusive, and not in the future. */
      readonly to: Date;
      /** Default `"allow"`. */
      readonly overlap?: ScheduleOverlap | undefined;
    },
  ): Promise<{ readonly startedCount: number }>;

  /** The next instants of a timing, computed without the store. */
  previewSchedule(
    options: ScheduleTiming & {
      /** From 1 to 1,000. Default 10. */
      readonly count?: number | undefined;
      /** Instants after this one. Default: now. */
      readonly from?: Date | undefined;
    },
  ): readonly Date[];

  /** One page of schedules, by name. */
  listSchedules(
    options?: OptionalContext<TTxContext> & {
      readonly names?: readonly string[] | undefined;
      readonly isDeclared?: boolean | undefined;
      /** From 1 to 1,000. Default 50. */
      readonly limit?: number | undefined;
      readonly cursor?: string | null | undefined;
    },
  ): Promise<Page<Schedule<keyof TDefinitions & string>>>;

  /** One page of the ticks of a schedule, newest first. */
  listScheduleTicks(
    options: OptionalContext<TTxContext> & {
      readonly name: string;
      /** Inclusive. */
      readonly from?: Date | undefined;
      /** Exclusive. */
      readonly to?: Date | undefined;
      /** Default `"desc"`. */
      readonly order?: PageOrder | undefined;
      /** From 1 to 1,000. Default 50. */
      readonly limit?: number | undefined;
      readonly cursor?: string | null | undefined;
    },
  ): Promise<Page<ScheduleTick<TJobId>>>;
}

/** The schedules that an application declares, and how they are kept. */
export interface SchedulesOptions<TDefinitions> {
  /** The result of `defineSchedules`. Written by name when the client is created. Default: none. */
  readonly declared?: DeclaredSchedules<TDefinitions> | undefined;
  /** Grows with deployments: a lower revision never overwrites a higher one. Default 0. */
  readonly revision?: number | undefined;
  /** Deletes declared schedules of this or a lower revision that are declared no more. Default false. */
  readonly prune?: boolean | undefined;
  /** How long workers of this client keep ticks. Default: 90 days. */
  readonly ticksForMs?: number | undefined;
}

declare const definitions: unique symbol;

/** Schedules by their names, checked against job types. */
export interface DeclaredSchedules<TDefinitions> {
  readonly byName: Readonly<Record<string, object>>;
  /** For the compiler only. */
  readonly [definitions]?: TDefinitions;
}
