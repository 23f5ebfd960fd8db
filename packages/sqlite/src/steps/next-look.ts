// When an acquisition may find a job: at the next due time, the end of a pause or of a wait, or the next token. A batch has a moment
// of its own.
import type { AcquireJobsParams, AcquireJobsResult } from "queuert/internal";
import { toTimerMs } from "../instants.ts";
import type { Session } from "../session.ts";
import type { BatchAt } from "./batch-at.ts";
import type { DueJobs } from "./due-jobs.ts";
import type { Waits } from "./end-waits.ts";
import type { Rooms } from "./open-rooms.ts";
import type { Turns } from "./take-turns.ts";
import type { TypesWithJobs } from "./types-with-jobs.ts";

/** The types that are not paused. */
export interface SelectedTypes {
  readonly open: AcquireJobsParams["types"];
  /** Infinity: the others are not resumed by themselves. */
  readonly resumesAt: number;
}

interface Looks {
  readonly waits: Waits;
  readonly batchAt: BatchAt;
  readonly due: DueJobs;
  readonly turns: Turns;
  readonly typesWithJobs: TypesWithJobs;
}

/**
 * Milliseconds until the next job of these types is due and has room, or its wait ends. 0: there is one already. Null: there
 * is none.
 */
export type NextLook = (
  session: Session,
  selected: SelectedTypes,
  rooms: Rooms,
) => Pick<AcquireJobsResult, "nextDueInMs" | "isLimited">;

export const createNextLook = (looks: Looks): NextLook => {
  const { waits, batchAt, due, turns, typesWithJobs } = looks;
  return (session, { open, resumesAt }, rooms) => {
    const now = session.now();
    const openNames = open.map(({ typeName }) => typeName);
    let next = Math.min(resumesAt, waits.nextEnd(session, openNames));
    let isLimited = false;
    if (next <= now) return { nextDueInMs: 0, isLimited };
    for (const type of typesWithJobs(session, open)) {
      const { typeName, batch } = type;
      const dueAt =
        batch === undefined ? due.nextDueAt(session, [typeName], now) : batchAt(session, type, now);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (rooms.countOf(typeName) > 0) return { nextDueInMs: 0, isLimited };
      else {
        isLimited = true;
        next = Math.min(next, rooms.lookAt(typeName));
      }
      if (!turns.has(session, typeName)) continue;
      const look = turns.look(session, typeName, rooms, now);
      if (look.at <= now) return { nextDueInMs: 0, isLimited };
      next = Math.min(next, look.at);
      isLimited ||= look.isLimited;
    }
    return { nextDueInMs: next === Infinity ? null : toTimerMs(next - now), isLimited };
  };
};
