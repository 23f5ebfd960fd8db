// Deduplication: each key gets one request for its sequence (`agreement/key-proposals.ts`). If another
// sequence holds the key, the requested one is not inserted. An id that the caller gives is a key of its own sequence.
import type { CreatedStateJob, NewStateJob, StateDeduplication } from "queuert/internal";
import { isUnfinished, type KeyRequest, wasCancelled } from "../agreement/key-holders.ts";
import { acquireKeys, toIdKey, toKeyId } from "../agreement/key-proposals.ts";
import type { Database } from "../database.ts";
import { duplicateAsConflict } from "../driver-errors.ts";
import { type JobDocument, toStateJob } from "../job-document.ts";
import type { SequenceDocuments } from "../sequences.ts";
import type { Scope } from "../store.ts";

/** Inserts the documents whose key no sequence holds. Returns the holding sequences of the others. */
export const deduplicate = async (
  db: Database,
  scope: Scope,
  jobs: readonly NewStateJob[],
  documents: readonly JobDocument[],
): Promise<readonly CreatedStateJob[]> => {
  const later = await findLaterJobs(db, scope, jobs);
  const requests = toRequests(jobs, documents, later);
  const holders = await acquireKeys(db, scope, [...requests.values()]);
  const inserted: JobDocument[] = [];
  const results = documents.map((document, index): CreatedStateJob => {
    const laterJob = later.get(document._id);
    if (laterJob !== undefined) return { job: toStateJob(laterJob), deduplicated: true };
    const keyId = keyIdOf(jobs[index]);
    const request = keyId === undefined ? undefined : requests.get(keyId);
    const holder = keyId === undefined ? undefined : holders.get(keyId);
    if (holder !== undefined) return { job: toStateJob(holder.first), deduplicated: true };
    // Of two elements with one key the second gets the sequence of the first.
    if (request !== undefined && request.document !== document) {
      return { job: toStateJob(request.document), deduplicated: true };
    }
    inserted.push(document);
    return { job: toStateJob(document), deduplicated: false };
  });
  if (inserted.length === 0) return results;
  const insert = (): Promise<void> => db.jobs.insertMany(scope, inserted);
  // A job of the id was deleted, or stored, since the snapshot: with a newer one the transaction succeeds.
  await (inserted.some(({ hasGivenId }) => hasGivenId) ? duplicateAsConflict(insert) : insert());
  return results;
};

type CreationRequest = KeyRequest & { readonly document: JobDocument };

/** The key that the sequence of a new job needs, if it needs one. */
export const keyIdOf = (job: NewStateJob | undefined): string | undefined => {
  if (job?.kind !== "entry") return undefined;
  if (job.id !== undefined) return toIdKey(job.id);
  return job.deduplication === null ? undefined : toKeyId(job.typeName, job.deduplication.key);
};

/** Given ids that later jobs of sequences have: no sequence is found by them. */
const findLaterJobs = async (
  { jobs }: Database,
  scope: Scope,
  newJobs: readonly NewStateJob[],
): Promise<ReadonlyMap<string, JobDocument>> => {
  const ids = newJobs.flatMap((job) => (job.kind === "entry" ? (job.id ?? []) : []));
  if (ids.length === 0) return new Map();
  const found = await jobs.find(scope, { _id: { $in: ids }, position: { $gt: 0 } });
  return new Map(found.map((job) => [job._id, job]));
};

/** One for each key: that of its first element. */
const toRequests = (
  jobs: readonly NewStateJob[],
  documents: readonly JobDocument[],
  later: ReadonlyMap<string, JobDocument>,
): Map<string, CreationRequest> => {
  const requests = new Map<string, CreationRequest>();
  documents.forEach((document, index) => {
    const job = jobs[index];
    const keyId = keyIdOf(job);
    if (job?.kind !== "entry" || keyId === undefined) return;
    if (requests.has(keyId) || later.has(document._id)) return;
    const { deduplication } = job;
    requests.set(keyId, {
      keyId,
      document,
      sequenceId: document._id,
      isRetry: false,
      isGivenId: job.id !== undefined,
      isHeldBy: (sequence) =>
        deduplication === null || isMatch(sequence, deduplication, document.createdAt),
    });
  });
  return requests;
};

const isMatch = (
  sequence: SequenceDocuments,
  { strategy, windowMs, excludeSequenceIds }: StateDeduplication,
  now: Date,
): boolean =>
  excludeSequenceIds?.includes(sequence.first._id) !== true &&
  (strategy === "all" ? !wasCancelled(sequence) : isUnfinished(sequence)) &&
  (strategy !== "pending" || waits(sequence)) &&
  (windowMs === null || sequence.first.createdAt.getTime() >= now.getTime() - windowMs);

const waits = ({ first: { status, attempt } }: SequenceDocuments): boolean =>
  (status === "pending" || status === "blocked") && attempt === 0;
