// Deduplication: each key gets one request for its sequence (`agreement/key-proposals.ts`). If another
// sequence holds the key, the requested one is not inserted.
import type { CreatedStateJob, NewStateJob, StateDeduplication } from "queuert/internal";
import { isUnfinished, type KeyRequest, wasCancelled } from "../agreement/key-holders.ts";
import { acquireKeys, toKeyId } from "../agreement/key-proposals.ts";
import type { Database } from "../database.ts";
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
  const requests = toRequests(jobs, documents);
  const holders = await acquireKeys(db, scope, [...requests.values()]);
  const inserted: JobDocument[] = [];
  const results = documents.map((document, index): CreatedStateJob => {
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
  if (inserted.length > 0) await db.jobs.insertMany(scope, inserted);
  return results;
};

type CreationRequest = KeyRequest & { readonly document: JobDocument };

const keyIdOf = (job: NewStateJob | undefined): string | undefined =>
  job?.kind === "entry" && job.deduplication !== null
    ? toKeyId(job.typeName, job.deduplication.key)
    : undefined;

/** One for each key: that of its first element. */
const toRequests = (
  jobs: readonly NewStateJob[],
  documents: readonly JobDocument[],
): Map<string, CreationRequest> => {
  const requests = new Map<string, CreationRequest>();
  documents.forEach((document, index) => {
    const job = jobs[index];
    const keyId = keyIdOf(job);
    if (job?.kind !== "entry" || job.deduplication === null) return;
    if (keyId === undefined || requests.has(keyId)) return;
    const { deduplication } = job;
    requests.set(keyId, {
      keyId,
      document,
      sequenceId: document._id,
      isRetry: false,
      isHeldBy: (sequence) => isMatch(sequence, deduplication, document.createdAt),
    });
  });
  return requests;
};

const isMatch = (
  sequence: SequenceDocuments,
  { strategy, windowMs }: StateDeduplication,
  now: Date,
): boolean =>
  (strategy === "all" ? !wasCancelled(sequence) : isUnfinished(sequence)) &&
  (windowMs === null || sequence.first.createdAt.getTime() >= now.getTime() - windowMs);
