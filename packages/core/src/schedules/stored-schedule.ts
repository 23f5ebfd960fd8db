// The definition of a schedule: JSON that only core reads. Instants are milliseconds since 1970.
import type { StateSchedule, StateTick } from "../adapters/state-adapter-schedules.ts";
import { fromJsonText, type PayloadCodec } from "../model/payload.ts";
import type { JsonText } from "../model/state-job.ts";
import type {
  Schedule,
  ScheduleCatchUp,
  ScheduleOverlap,
  ScheduleTick,
} from "../public-types/schedules.ts";
import type { TickSpec } from "./next-tick.ts";

/** The fields that the user decides. */
export interface ScheduleFields {
  readonly typeName: string;
  readonly input: JsonText;
  readonly priority: number;
  readonly spec: TickSpec;
  readonly overlap: ScheduleOverlap;
  readonly catchUp: ScheduleCatchUp;
  readonly graceMs: number;
  readonly jitterMs: number;
}

/** A tick that waits for the end of a sequence. */
export interface BufferedTick {
  readonly at: number;
  readonly kind: StateTick["kind"];
}

/** All that is stored besides the name. */
export interface ScheduleState extends ScheduleFields {
  /** The next instant, or null after the last one. A pause keeps it. */
  readonly nextAt: number | null;
  /** Of a resumption: until the ticks of the pause have been handled. */
  readonly catchUpOnce: ScheduleCatchUp | null;
  readonly buffered: BufferedTick | null;
  /** Sequences that the schedule started, the newest last, and that were unfinished when it last looked. */
  readonly openSequenceIds: readonly string[];
  readonly lastTickAt: number | null;
  readonly lastManualAt: number | null;
  /** The last instant that a backfill has handled. If it is before `nextAt`, the next firing has none to leave out. Left out by older versions. */
  readonly backfilledUntil?: number | null;
  readonly lastError: string | null;
  /** After an error: when it is tried again. */
  readonly retryAt: number | null;
  readonly pausedAt: number | null;
  readonly pauseNote: string | null;
  /** The options that code declared; null for a schedule made at run time. */
  readonly declaredHash: string | null;
  readonly revision: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A schedule that a transaction holds. */
export interface HeldSchedule {
  readonly name: string;
  readonly state: ScheduleState;
}

/** How soon a buffered tick is looked at again. */
const bufferedLookMs = 1_000;

export const fromStateSchedule = ({ name, definition }: StateSchedule): HeldSchedule => ({
  name,
  // Written by `toStateSchedule`, and by nothing else.
  state: JSON.parse(definition) as ScheduleState,
});

export const toStateSchedule = ({ name, state }: HeldSchedule, now: number): StateSchedule => {
  const lookAt = toLookAt(state, now);
  return {
    name,
    lookAt: lookAt === null ? null : new Date(lookAt),
    isDeclared: state.declaredHash !== null,
    definition: JSON.stringify(state),
  };
};

const toLookAt = (state: ScheduleState, now: number): number | null => {
  if (state.pausedAt !== null) return null;
  if (state.retryAt !== null) return state.retryAt;
  if (state.buffered === null) return state.nextAt;
  return Math.min(state.nextAt ?? Number.POSITIVE_INFINITY, now + bufferedLookMs);
};

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** A schedule as users see it. */
export const toSchedule = (codec: PayloadCodec | null, { name, state }: HeldSchedule): Schedule => {
  const { cron, timeZone, everyMs, anchor, startsAt, endsAt } = state.spec;
  return {
    name,
    typeName: state.typeName,
    input: fromJsonText(state.input, name, codec),
    priority: state.priority,
    cron,
    timeZone,
    everyMs,
    anchor: new Date(anchor),
    startsAt: toDate(startsAt),
    endsAt: toDate(endsAt),
    overlap: state.overlap,
    catchUp: state.catchUp,
    graceMs: state.graceMs,
    jitterMs: state.jitterMs,
    isDeclared: state.declaredHash !== null,
    revision: state.revision,
    pausedAt: toDate(state.pausedAt),
    pauseNote: state.pauseNote,
    nextAt: toDate(state.nextAt),
    bufferedAt: toDate(state.buffered?.at ?? null),
    lastTickAt: toDate(state.lastTickAt),
    lastError: state.lastError,
    createdAt: new Date(state.createdAt),
    updatedAt: new Date(state.updatedAt),
  };
};

export const toScheduleTick = (tick: StateTick): ScheduleTick => ({
  schedule: tick.scheduleName,
  at: tick.tickAt,
  kind: tick.kind,
  outcome: tick.outcome,
  sequenceId: tick.sequenceId,
  firedAt: tick.firedAt,
});
