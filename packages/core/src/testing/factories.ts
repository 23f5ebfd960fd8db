import type { NewContinuationJob, NewEntryJob } from "../adapters/state-adapter-params.ts";
import type { StateJob } from "../model/state-job.ts";

/**
 * A new entry job, valid as it is: due at once, no key, no blockers. Override the fields that the
 * test is about.
 */
export const aJob = (overrides: Partial<NewEntryJob> = {}): NewEntryJob => ({
  kind: "entry",
  typeName: "task",
  input: "{}",
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
  ...overrides,
});

/** So many of them, alike. */
export const jobs = (count: number, overrides: Partial<NewEntryJob> = {}): NewEntryJob[] =>
  Array.from({ length: count }, () => aJob(overrides));

/** The job that continues another one, of a type of its own. */
export const aContinuation = (
  of: StateJob,
  overrides: Partial<NewContinuationJob> = {},
): NewContinuationJob => ({
  kind: "continuation",
  typeName: "next",
  input: "{}",
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  sequenceId: of.sequenceId,
  sequenceTypeName: of.sequenceTypeName,
  sequenceCreatedAt: of.sequenceCreatedAt,
  rootSequenceId: of.rootSequenceId,
  originId: of.id,
  position: of.position + 1,
  ...overrides,
});

/** The deduplication of a start that gives only a key. */
export const aKey = (
  key: string,
  overrides: Partial<NonNullable<NewEntryJob["deduplication"]>> = {},
): NonNullable<NewEntryJob["deduplication"]> => ({
  key,
  strategy: "completed",
  windowMs: null,
  ...overrides,
});

export const minuteMs: number = 60_000;
/** Past the 24.8 days that a 32-bit number of milliseconds holds. */
export const thirtyDaysMs: number = 30 * 24 * 60 * minuteMs;
