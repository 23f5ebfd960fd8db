// A new job enters the store: its id, its instants, and its place in a sequence and a tree.
import type {
  NewContinuationJob,
  NewEntryJob,
  NewStateJob,
} from "../adapters/state-adapter-params.ts";
import { JobAlreadyCompletedError, JobNotFoundError } from "../errors.ts";
import type { Database } from "./database.ts";
import { toInstant } from "./instants.ts";
import { currentOf, type JobCell, type JobState, noBlockers } from "./job-cell.ts";

export const insertEntryJob = (database: Database, job: NewEntryJob): JobCell => {
  const { store } = database;
  return store.insert(newId(database), job, initialState(job, store.now), null);
};

/**
 * Continues a sequence. Throws when the sequence is not there, or goes on elsewhere already: it is a line, and
 * never forks, whatever a caller that has lost its lease still tries.
 */
export const insertContinuation = (database: Database, job: NewContinuationJob): JobCell => {
  const { store } = database;
  const first = store.sequence(job.sequenceId);
  if (first === undefined) throw new JobNotFoundError(job.originId);
  if (currentOf(first, "transaction")?.position !== job.position - 1) {
    throw new JobAlreadyCompletedError(job.originId);
  }
  return store.insert(newId(database), job, initialState(job, store.now), first);
};

const newId = ({ store, generateId }: Database): string => {
  const id = generateId();
  if (typeof id !== "string" || id === "") {
    throw new TypeError("`idGenerator` must return a string that is not empty.");
  }
  if (store.cells.has(id)) {
    throw new Error(`\`idGenerator\` returned ${id}, the id of another job. Make every id unique.`);
  }
  return id;
};

const initialState = (job: NewStateJob, now: number): JobState => ({
  status: job.awaitsBlockers ? "blocked" : "pending",
  output: null,
  continuedToId: null,
  scheduledAt: job.schedule === null ? now : toInstant(job.schedule, now),
  attempt: 0,
  lastAttemptAt: null,
  lastAttemptError: null,
  leaseVersion: 0,
  leasedBy: null,
  leasedUntil: null,
  finishedAt: null,
  completedBy: null,
  completedByLease: null,
  blockers: noBlockers,
  incompleteBlockerCount: 0,
});
