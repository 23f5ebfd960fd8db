// Deduplication: new sequences are put forward for their keys (`key-claims.ts`), and those for whose key another one
// stands are not inserted.
import type { CreatedStateJob, NewStateJob, StateDeduplication } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobDocument, toStateJob } from "../job-document.ts";
import type { SequenceDocuments } from "../sequences.ts";
import type { Scope } from "../store.ts";
import { claimKeys, toKeyId } from "./key-claims.ts";
import { isUnfinished, type KeyClaim } from "./key-holders.ts";

/** Inserts the documents whose key no sequence stands for; answers the others' sequences. */
export const deduplicate = async (
  db: Database,
  scope: Scope,
  jobs: readonly NewStateJob[],
  documents: readonly JobDocument[],
): Promise<readonly CreatedStateJob[]> => {
  const claims = toClaims(jobs, documents);
  const holders = await claimKeys(db, scope, [...claims.values()]);
  const inserted: JobDocument[] = [];
  const results = documents.map((document, index): CreatedStateJob => {
    const keyId = keyIdOf(jobs[index]);
    const claim = keyId === undefined ? undefined : claims.get(keyId);
    const holder = keyId === undefined ? undefined : holders.get(keyId);
    if (holder !== undefined) return { job: toStateJob(holder.first), deduplicated: true };
    // Of two elements with one key the second finds the first.
    if (claim !== undefined && claim.document !== document) {
      return { job: toStateJob(claim.document), deduplicated: true };
    }
    inserted.push(document);
    return { job: toStateJob(document), deduplicated: false };
  });
  if (inserted.length > 0) await db.jobs.insertMany(scope, inserted);
  return results;
};

type CreationClaim = KeyClaim & { readonly document: JobDocument };

const keyIdOf = (job: NewStateJob | undefined): string | undefined =>
  job?.kind === "entry" && job.deduplication !== null
    ? toKeyId(job.typeName, job.deduplication.key)
    : undefined;

/** One for each key: its first element's. */
const toClaims = (
  jobs: readonly NewStateJob[],
  documents: readonly JobDocument[],
): Map<string, CreationClaim> => {
  const claims = new Map<string, CreationClaim>();
  documents.forEach((document, index) => {
    const job = jobs[index];
    const keyId = keyIdOf(job);
    if (job?.kind !== "entry" || job.deduplication === null) return;
    if (keyId === undefined || claims.has(keyId)) return;
    const { deduplication } = job;
    claims.set(keyId, {
      keyId,
      document,
      sequenceId: document._id,
      isRetry: false,
      isHeldBy: (sequence) => isMatch(sequence, deduplication, document.createdAt),
    });
  });
  return claims;
};

const isMatch = (
  sequence: SequenceDocuments,
  { strategy, windowMs }: StateDeduplication,
  now: Date,
): boolean =>
  (strategy === "all" || isUnfinished(sequence)) &&
  (windowMs === null || sequence.first.createdAt.getTime() >= now.getTime() - windowMs);
