import type { JobStatus } from "queuert/internal";
import { lastJobOf, type TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** The status of a sequence's last job, and nothing of what it carries: thousands may wait for it, and it may be large. */
export const createSequenceStatus = (
  names: TableNames,
): ((session: Session, id: string) => JobStatus | undefined) => {
  const first = `SELECT status FROM ${names.job} WHERE id = ? AND position = 0`;
  const last = `SELECT status ${lastJobOf(names)}`;

  return (session, id) => {
    const row = session.get<[JobStatus]>(first, id);
    return row && (session.get<[JobStatus]>(last, id) ?? row)[0];
  };
};
