// Schedules and ticks as documents.
import type { StateSchedule, StateTick, TickPlace } from "queuert/internal";

export interface ScheduleDocument {
  /** The name. */
  readonly _id: string;
  /** Left out: it is not looked at. */
  readonly lookAt?: Date;
  readonly isDeclared: boolean;
  readonly definition: string;
  /** The holder that is about to take it in a transaction, and for how long others leave it alone. */
  readonly hold?: string;
  readonly heldUntil?: Date;
  /** The last write, for the result of an upsert. */
  readonly stamp?: string;
}

export const toStateSchedule = ({
  _id,
  lookAt,
  isDeclared,
  definition,
}: ScheduleDocument): StateSchedule => ({
  name: _id,
  lookAt: lookAt ?? null,
  isDeclared,
  definition,
});

export interface TickDocument {
  readonly _id: string;
  readonly scheduleName: string;
  readonly tickAt: Date;
  readonly isManual: boolean;
  readonly kind: StateTick["kind"];
  readonly outcome: StateTick["outcome"];
  readonly sequenceId?: string;
  readonly firedAt: Date;
}

/** One document for each instant of a schedule, and one for a manual tick beside it. */
export const tickId = ({
  scheduleName,
  tickAt,
  isManual,
}: Pick<TickDocument, "scheduleName" | "tickAt" | "isManual">): string =>
  `${scheduleName}\0${tickAt.getTime()}${isManual ? " manual" : ""}`;

export const toTickDocument = (tick: StateTick): TickDocument => {
  const { scheduleName, tickAt, kind, outcome, sequenceId, firedAt } = tick;
  const isManual = kind === "manual";
  return {
    _id: tickId({ scheduleName, tickAt, isManual }),
    ...{ scheduleName, tickAt, isManual, kind, outcome, firedAt },
    ...(sequenceId !== null && { sequenceId }),
  };
};

export const toStateTick = (document: TickDocument): StateTick => ({
  scheduleName: document.scheduleName,
  tickAt: document.tickAt,
  kind: document.kind,
  outcome: document.outcome,
  sequenceId: document.sequenceId ?? null,
  firedAt: document.firedAt,
});

/** The ticks after a place, in the order of the history or against it. */
export const ticksAfter = ({ tickAt, isManual }: TickPlace, order: "asc" | "desc"): object => {
  const beyond = order === "asc" ? "$gt" : "$lt";
  return {
    $or: [{ tickAt: { [beyond]: tickAt } }, { tickAt, isManual: { [beyond]: isManual } }],
  };
};
