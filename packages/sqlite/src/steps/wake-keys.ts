// Keys whose attempts end with a completion or a cancellation get into the line again. All other ends have a trigger (migration 0009).
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** A job by its id, or by its ordinal if that is known: one search less. */
type WakeKey = (jobId: string, ordinal?: number) => void;

/** Returns the function of one step, to be called for each ended job. Without jobs under keys, it is one probe in all. */
export type WakeKeys = (session: Session) => WakeKey;

export const createWakeKeys = ({ job, limitTurn }: TableNames): WakeKeys => {
  const any = `SELECT 1 FROM ${limitTurn} WHERE limit_name >= '' LIMIT 1`;
  const wake = (column: "id" | "ordinal"): string => `
UPDATE ${limitTurn} SET look_at = NULL, kept_back = 0
WHERE (limit_name, key) = (SELECT limit_name, limit_key FROM ${job} WHERE ${column} = ?) AND look_at IS NOT NULL`;
  const [byId, byOrdinal] = [wake("id"), wake("ordinal")];
  return (session) => {
    if (session.get(any) === undefined) return () => undefined;
    return (jobId, ordinal) => {
      if (ordinal === undefined) session.run(byId, jobId);
      else session.run(byOrdinal, ordinal);
    };
  };
};

/** Bounds or pauses of a limit have changed: its keys get into the line again. */
export const createLookAgain = ({
  limitTurn,
}: TableNames): ((session: Session, limitName: string) => void) => {
  const lookAgain = `UPDATE ${limitTurn} SET look_at = NULL, kept_back = 0 WHERE limit_name = ?`;
  return (session, limitName) => {
    session.run(lookAgain, limitName);
  };
};
