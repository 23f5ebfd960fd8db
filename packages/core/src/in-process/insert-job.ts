// Stores a new job: its id, its instants, and its place in a sequence and a tree.
import type {
  NewContinuationJob,
  NewEntryJob,
  NewStateJob,
} from "../adapters/state-adapter-params.ts";
import { JobAlreadyCompletedError, JobNotFoundError } from "../errors.ts";
import type { Database } from "./database.ts";
import { toInstant } from "./instants.ts";
import { currentOf, initialState, type StoredJob } from "./stored-job.ts";

export const insertEntryJob = (database: Database, job: NewEntryJob): StoredJob => {
  const { store } = database;
  const id = job.id ?? newId(database);
  return store.insert(id, job, initialState(job, dueAt(job, store.now)), null);
};

/**
 * Continues a sequence. Throws if the sequence does not exist or has continued already: a sequence never forks, even if
 * the caller has lost its lease.
 */
export const insertContinuation = (database: Database, job: NewContinuationJob): StoredJob => {
  const { store } = database;
  const first = store.sequence(job.sequenceId);
  if (first === undefined) throw new JobNotFoundError(job.originId);
  if (currentOf(first, "transaction")?.position !== job.position - 1) {
    throw new JobAlreadyCompletedError(job.originId);
  }
  return store.insert(newId(database), job, initialState(job, dueAt(job, store.now)), first);
};

const newId = ({ store, generateId }: Database): string => {
  const id = generateId();
  if (typeof id !== "string" || id === "") {
    throw new TypeError("`idGenerator` must return a string that is not empty.");
  }
  if (store.byId.has(id)) {
    throw new Error(`\`idGenerator\` returned ${id}, the id of another job. Make every id unique.`);
  }
  return id;
};

const dueAt = ({ schedule }: NewStateJob, now: number): number =>
  schedule === null ? now : toInstant(schedule, now);
