// The pauses that have not ended. Usually there is none: one probe of an empty table.
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** The name of the pause of every type. */
export const everyType = "";

type PauseRow = readonly [
  typeName: string,
  pausedAt: number,
  pausedUntil: number | null,
  note: string | null,
];

/** In the order of names, that of every type first. */
export const createReadPauses = ({
  pause,
}: TableNames): ((session: Session, now: number) => readonly PauseRow[]) => {
  // The condition on the name lets the statement read the table by its key.
  const select = `
SELECT type_name, paused_at, paused_until, note FROM ${pause}
WHERE type_name >= '' AND (paused_until IS NULL OR paused_until > ?) ORDER BY type_name`;
  return (session, now) => session.all<PauseRow>(select, now);
};

/** When jobs of these types are acquired again, by type. Infinity: not before the pause is ended. */
export const createPausedTypes = (
  names: TableNames,
): ((session: Session, now: number) => (typeName: string) => number | undefined) => {
  const read = createReadPauses(names);
  return (session, now) => {
    const rows = read(session, now);
    if (rows.length === 0) return () => undefined;
    const ends = new Map(rows.map(([typeName, , until]) => [typeName, until ?? Infinity]));
    const everything = ends.get(everyType);
    return (typeName) => {
      const own = ends.get(typeName);
      if (own === undefined || everything === undefined) return own ?? everything;
      return Math.max(own, everything);
    };
  };
};
