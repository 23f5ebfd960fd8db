import { attemptError, type OperatorStore, type StoredAttempt } from "queuert/internal";
import type { Database } from "../database.ts";

type AttemptRow = readonly [
  leaseVersion: number,
  attempt: number,
  workerId: string,
  dueAt: number,
  startedAt: number,
  endedAt: number,
  outcome: StoredAttempt["outcome"],
  nextAt: number | null,
  error: string,
];

export const listAttempts = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listAttempts"]> => {
  const { job, attempt } = database.names;
  const select = `
SELECT lease_version, attempt, worker_id, due_at, started_at, ended_at, outcome, next_at,
  iif(shares_error, (SELECT coalesce(last_attempt_error, '') FROM ${job} WHERE id = job_id), error)
FROM ${attempt} WHERE job_id = ? ORDER BY lease_version`;
  return ({ jobIds }) =>
    database.read(undefined, (session) =>
      jobIds.map((id) => session.all<AttemptRow>(select, id).map(toStoredAttempt)),
    );
};

const toStoredAttempt = (row: AttemptRow): StoredAttempt => {
  const [leaseVersion, attempt, workerId, dueAt, startedAt, endedAt, outcome, nextAt, error] = row;
  return {
    ...{ leaseVersion, attempt, workerId, outcome, error: attemptError(error) },
    dueAt: new Date(dueAt),
    startedAt: new Date(startedAt),
    endedAt: new Date(endedAt),
    nextAt: nextAt === null ? null : new Date(nextAt),
  };
};
