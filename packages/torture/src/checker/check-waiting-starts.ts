import type { StateJob } from "queuert";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";
import type { DebouncedInput } from "../load/control-types.ts";

const inputOf = ({ input }: StateJob): DebouncedInput => JSON.parse(input) as DebouncedInput;

/** When the job was acquired first; undefined if that is not known any more. */
const firstAcquiredAt = (history: History, job: StateJob): number | undefined => {
  if (job.leaseVersion === 0) return job.finishedAt?.getTime() ?? Number.POSITIVE_INFINITY;
  if (job.leaseVersion === 1) return job.lastAttemptAt?.getTime();
  return history.leases.find(({ jobId, leaseVersion }) => jobId === job.id && leaseVersion === 1)
    ?.acquiredAt;
};

/** Of the starts with one key and the strategy `pending`, at most one waits. It has the input that was written last. */
export const checkWaitingStarts: Check = (history) => {
  const violations: Violation[] = [];
  const writes = groupBy(entriesOf(history, "overwritten"), ({ jobId }) => jobId);
  const jobs = history.control.jobs.filter(({ typeName }) => typeName === "debounced");
  for (const [key, own] of groupBy(jobs, ({ deduplicationKey }) => deduplicationKey)) {
    const sorted = own.toSorted((one, other) => one.ordinal - other.ordinal);
    for (const [index, earlier] of sorted.entries()) {
      const later = sorted[index + 1];
      const acquiredAt = firstAcquiredAt(history, earlier);
      if (later === undefined || acquiredAt === undefined) continue;
      const lookedAt = later.createdAt.getTime() + history.creationMs + history.toleranceMs;
      if (acquiredAt <= lookedAt) continue;
      const detail = `${key}: ${earlier.id} waits, ${later.id} is created`;
      violations.push({ rule: "at most one job of a key waits", detail });
    }
  }
  for (const job of jobs) {
    const { text, maxWaitMs } = inputOf(job);
    const own = writes.get(job.id) ?? [];
    const stored = own.find((one) => one.text === text);
    // A write whose answer was lost may be the last.
    const later = own.find((one) => !one.isRefused && one.askedAt > (stored?.at ?? Infinity));
    if (stored?.isRefused === true || later !== undefined) {
      const detail = `${job.id}: ${text} is stored, ${later?.text ?? "which was refused"}`;
      violations.push({ rule: "a waiting job has the input that was written last", detail });
    }
    const dueMs = job.scheduledAt.getTime() - job.createdAt.getTime();
    if (maxWaitMs === null || job.leaseVersion > 1) continue;
    if (dueMs <= maxWaitMs + history.creationMs + history.toleranceMs) continue;
    const detail = `${job.id}: due ${dueMs} ms after its creation`;
    violations.push({ rule: "a waiting job is due within its longest wait", detail });
  }
  return violations;
};
