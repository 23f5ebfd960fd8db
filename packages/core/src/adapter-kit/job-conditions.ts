// Whether a job meets a condition: the meaning of each condition in one place. Stores say the same in their own language, and
// the suites compare them with this.
import type {
  DerivedState,
  JobCondition,
  LimitField,
  TextField,
} from "../adapters/job-condition.ts";
import type { LimitKeyReference } from "../adapters/state-adapter-limits.ts";
import type { StateJob } from "../model/state-job.ts";
import { isFinished, type JobStatus } from "../model/status.ts";

/** Whether a job meets all conditions. `now`: the store's clock. `limitKey`: the key that the job stands under. */
export const matchesAll = (
  job: StateJob,
  conditions: readonly JobCondition[],
  now: Date,
  limitKey: LimitKeyReference | null = null,
): boolean =>
  conditions.every((condition) => holds(job, condition, now, limitKey) !== condition.negated);

const holds = (
  job: StateJob,
  condition: JobCondition,
  now: Date,
  limitKey: LimitKeyReference | null,
): boolean => {
  switch (condition.field) {
    case "id":
      return condition.anyOf.includes(job.id);
    case "idPrefix":
      return condition.anyOf.some((prefix) => job.id.startsWith(prefix));
    case "text": {
      const value = textOf(job, condition.of, limitKey);
      return value !== null && condition.anyOf.includes(value);
    }
    case "status":
      return condition.anyOf.includes(job.status);
    case "is":
      return condition.anyOf.some((state) => isIn(job, state, now));
    case "number": {
      const value = job[condition.of];
      const { min, max } = condition;
      return (min === null || value >= min) && (max === null || value <= max);
    }
    case "time": {
      const value = job[condition.of];
      const { from, to } = condition;
      return value !== null && (from === null || value >= from) && (to === null || value < to);
    }
    case "contains":
      return condition.of.some((field) => {
        const value = job[field];
        return value !== null && condition.anyOf.some((part) => value.includes(part));
      });
    case "inputAt":
      return condition.anyOf.includes(textAt(job.input, condition.path));
  }
};

/** Whether a field is known to the store only, and not to its answers. */
export const isLimitField = (field: TextField): field is LimitField =>
  field === "limitName" || field === "limitKey";

const textOf = (
  job: StateJob,
  field: TextField,
  limitKey: LimitKeyReference | null,
): string | null => {
  if (!isLimitField(field)) return job[field];
  return limitKey === null ? null : limitKey[field === "limitName" ? "limitName" : "key"];
};

const isIn = (job: StateJob, state: DerivedState, now: Date): boolean => {
  const isDue = job.scheduledAt.getTime() <= now.getTime();
  switch (state) {
    case "open":
      return !isFinished(job.status);
    case "due":
      return job.status === "pending" && isDue;
    case "scheduled":
      return job.status === "pending" && !isDue;
    case "retrying":
      return job.status === "pending" && job.attempt > 0;
    case "stalled":
      return job.status === "running" && job.leasedUntil !== null && job.leasedUntil <= now;
    case "root":
      return job.position === 0 && job.sequenceId === job.rootSequenceId;
  }
};

/** The JSON text of a string, a number, a boolean or null at a path; "" where there is another value or none. */
const textAt = (input: string, path: readonly string[]): string => {
  let value: unknown;
  try {
    value = JSON.parse(input) as unknown;
  } catch {
    // A broken payload has no value at any path.
    return "";
  }
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return "";
    if (Array.isArray(value) && !/^\d+$/.test(step)) return "";
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return typeof value === "object" && value !== null ? "" : JSON.stringify(value);
};

const statusesOfState: Readonly<Record<DerivedState, readonly JobStatus[] | null>> = {
  open: ["blocked", "pending", "running"],
  due: ["pending"],
  scheduled: ["pending"],
  retrying: ["pending"],
  stalled: ["running"],
  root: null,
};

/** The statuses of the jobs that can match; null: all of them. Open, blocked and failed jobs are few beside the others. */
export const possibleStatuses = (
  conditions: readonly JobCondition[],
): readonly JobStatus[] | null => {
  for (const condition of conditions) {
    if (condition.negated) continue;
    if (condition.field === "status") return condition.anyOf;
    if (condition.field !== "is") continue;
    const statuses = condition.anyOf.map((state) => statusesOfState[state]);
    if (!statuses.includes(null)) return [...new Set(statuses.flatMap((each) => each ?? []))];
  }
  return null;
};
