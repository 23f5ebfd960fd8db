// Step 2 of the walk: jobs are stored. Jobs without a deduplication key are one insert. Jobs with a key or a given id, and
// several jobs without a transaction of the caller's, are one transaction. Ids and ordinals are made
// once: every attempt stores the same jobs.
import type { CreatedStateJob, NewStateJob, StateAdapter } from "queuert/internal";
import type { Database, Repeat } from "../database.ts";
import { isDuplicateKey } from "../driver-errors.ts";
import { MongoDuplicateIdError } from "../errors.ts";
import { assertFitsDocument, dueAfter, type JobDocument, toStateJob } from "../job-document.ts";

import { keyFields } from "../limit-keys/key-document.ts";
import { outside, type Scope } from "../store.ts";
import { deduplicate, keyIdOf } from "./deduplicate.ts";

type CreateJobs = StateAdapter<object, object, string>["createJobs"];

export const createJobs =
  (db: Database, repeat: Repeat): CreateJobs =>
  async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    const scope = db.writeScopeOf(context);
    const isOwn = scope.session === undefined;
    const documents = await toDocuments(db, jobs);
    const hasKeys = jobs.some((job) => keyIdOf(job) !== undefined);
    const store = (): Promise<readonly CreatedStateJob[]> => {
      if (hasKeys) return db.transact(context, (tx) => deduplicate(db, tx, jobs, documents));
      if (!isOwn || documents.length === 1) return insert(db, scope, documents);
      return db.transact(context, (tx) => insert(db, tx, documents));
    };
    if (!isOwn) return onlyOnce(store);
    return repeatable(db, documents, repeat, store);
  };

const insert = async (
  { jobs }: Database,
  scope: Scope,
  documents: readonly JobDocument[],
): Promise<readonly CreatedStateJob[]> => {
  await jobs.insertMany(scope, documents, { repeatedByCaller: true });
  return documents.map((document) => ({ job: toStateJob(document), deduplicated: false }));
};

// No statement of a transaction is repeated by the driver: a duplicate id is another job's.
export const onlyOnce = async <T>(store: () => Promise<T>): Promise<T> => {
  try {
    return await store();
  } catch (error) {
    throw isDuplicateKey(error) ? new MongoDuplicateIdError({ cause: error }) : error;
  }
};

// If the reply to an attempt was lost, its jobs may be stored. The next attempt then finds its own ids.
const repeatable = async (
  db: Database,
  documents: readonly JobDocument[],
  repeat: Repeat,
  store: () => Promise<readonly CreatedStateJob[]>,
): Promise<readonly CreatedStateJob[]> => {
  try {
    return await repeat(store);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const ids = documents.map(({ _id }) => _id);
    const stored = await db.jobs.find(
      outside,
      { _id: { $in: ids } },
      { projection: { ordinal: 1 } },
    );
    const ordinals = new Map(stored.map(({ _id, ordinal }) => [_id, ordinal]));
    // Each ordinal is given out once: a stored job with the same ordinal is this call's.
    if (!documents.every(({ _id, ordinal }) => ordinals.get(_id) === ordinal)) {
      throw new MongoDuplicateIdError({ cause: error });
    }
    return documents.map((document) => ({ job: toStateJob(document), deduplicated: false }));
  }
};

/** The documents of new jobs. Reserves their ordinals, outside any transaction. */
export const toDocuments = async (
  { ordinals, createId }: Database,
  jobs: readonly NewStateJob[],
): Promise<JobDocument[]> => {
  for (const { input } of jobs) assertFitsDocument(input);
  const { first, now } = await ordinals.take(jobs.length);
  return jobs.map((job, index) =>
    toDocument(job, givenIdOf(job) ?? createId(), first + index, now),
  );
};

const givenIdOf = (job: NewStateJob): string | undefined =>
  job.kind === "entry" ? job.id : undefined;

type NewDocument = { -readonly [TField in keyof JobDocument]: JobDocument[TField] };

/** Assigned, not spread: a start of a thousand makes a thousand documents, and spreads took most of the time of each. */
const toDocument = (job: NewStateJob, id: string, ordinal: number, now: Date): JobDocument => {
  const scheduledAt = dueAfter(now, job.schedule);
  const document: NewDocument = {
    _id: id,
    typeName: job.typeName,
    position: job.kind === "entry" ? 0 : job.position,
    ordinal,
    status: job.awaitsBlockers ? "blocked" : "pending",
    input: job.input,
    scheduledAt,
    createdAt: now,
    attempt: 0,
    leaseVersion: 0,
  };
  addPlace(document, job, scheduledAt);
  if (job.kind === "entry") addEntryFields(document, job);
  else addContinuationFields(document, job);
  if (job.onBlockerFailure !== "wait") document.onBlockerFailure = job.onBlockerFailure;
  if (job.traceContext !== null) document.traceContext = job.traceContext;
  return document;
};

/** The place of a job in the order of its type, or of its key. */
const addPlace = (
  document: NewDocument,
  { priority, limitKey }: NewStateJob,
  scheduledAt: Date,
): void => {
  if (limitKey === undefined || limitKey === null) document.priority = priority;
  else {
    Object.assign(document, keyFields(limitKey), { keyPriority: priority, turnAt: scheduledAt });
  }
};

const addEntryFields = (
  document: NewDocument,
  job: NewStateJob & { readonly kind: "entry" },
): void => {
  if (job.originId !== null) document.originId = job.originId;
  if (job.deduplication !== null) document.deduplicationKey = job.deduplication.key;
  if (job.id !== undefined) document.hasGivenId = true;
  if (job.rootSequenceId === null) return;
  document.rootSequenceId = job.rootSequenceId;
  document.treeMember = true;
};

const addContinuationFields = (
  document: NewDocument,
  job: NewStateJob & { readonly kind: "continuation" },
): void => {
  document.sequenceId = job.sequenceId;
  document.sequenceTypeName = job.sequenceTypeName;
  document.sequenceCreatedAt = job.sequenceCreatedAt;
  document.rootSequenceId = job.rootSequenceId;
  document.originId = job.originId;
  document.treeMember = true;
};
