// A method that identifies one job or sequence by `id` and `typeName` accepts the whole entity: users pass the value
// that an earlier call returned. Its other fields are known, so they are not refused as unknown options.
import type { Job } from "./job.ts";
import type { JobSequence } from "./sequence.ts";

type KeyOf<TUnion> = TUnion extends unknown ? keyof TUnion : never;

// A record, so that the compiler names a field that is missing here.
const fields: Readonly<Record<KeyOf<Job | JobSequence> | "deduplicated" | "replaced", true>> = {
  id: true,
  typeName: true,
  sequenceId: true,
  sequenceTypeName: true,
  rootSequenceId: true,
  originId: true,
  position: true,
  input: true,
  blockers: true,
  priority: true,
  createdAt: true,
  scheduledAt: true,
  blockedUntil: true,
  attempt: true,
  lastAttemptAt: true,
  lastAttemptError: true,
  deduplicationKey: true,
  tick: true,
  status: true,
  leasedBy: true,
  leasedUntil: true,
  leaseVersion: true,
  completedAt: true,
  completedBy: true,
  output: true,
  continuedToId: true,
  failedAt: true,
  cancelledAt: true,
  cancelReason: true,
  currentJobId: true,
  error: true,
  // Only on the result of a start.
  deduplicated: true,
  replaced: true,
};

/** The options of a call, without the fields of an entity that are not options: `names`. */
export const withoutEntityFields = (given: unknown, names: readonly string[]): unknown => {
  if (typeof given !== "object" || given === null) return given;
  const entries = Object.entries(given).filter(
    ([key]) => names.includes(key) || !Object.hasOwn(fields, key),
  );
  return Object.fromEntries(entries);
};
