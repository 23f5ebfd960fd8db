// Jobs that wait for blockers until some time, as an acquisition finds them. Usually there is none.
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

export interface Waits {
  /** Blocked jobs of these types whose wait has ended become pending. */
  readonly end: (session: Session, typeNames: readonly string[], now: number) => void;
  /** The next end of a wait. Infinity: there is none. */
  readonly nextEnd: (session: Session, typeNames: readonly string[]) => number;
}

export const createWaits = ({ job }: TableNames): Waits => {
  const limited = "status = 'blocked' AND blocked_until IS NOT NULL";
  const any = `SELECT 1 FROM ${job} WHERE ${limited} LIMIT 1`;
  const first = `SELECT blocked_until FROM ${job} WHERE ${limited} AND type_name = ? ORDER BY blocked_until LIMIT 1`;
  const end = `
UPDATE ${job} SET status = 'pending', released_at = ?
WHERE ${limited} AND type_name = ? AND blocked_until <= ?`;

  const hasAny = (session: Session): boolean => session.get(any) !== undefined;
  return {
    end: (session, typeNames, now) => {
      if (!hasAny(session)) return;
      for (const typeName of typeNames) session.run(end, now, typeName, now);
    },
    nextEnd: (session, typeNames) => {
      let next = Infinity;
      if (!hasAny(session)) return next;
      for (const typeName of typeNames) {
        next = Math.min(next, session.get<[number]>(first, typeName)?.[0] ?? Infinity);
      }
      return next;
    },
  };
};
