// The user's options for a new job, checked and in the store's terms: nothing is written before this has passed.
import type { NewEntryJob, NewStateJob } from "../adapters/state-adapter-params.ts";
import { ScopedStorage } from "../async/scoped-storage.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { BlockersMismatchError, InvalidOptionError, JobNotFoundError } from "../errors.ts";
import {
  assertDurationMs,
  assertInteger,
  assertName,
  assertObject,
} from "../model/assert-option.ts";
import { toPayloadText } from "../job-types/registry.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import type { Job } from "../model/job.ts";
import { assertSchedule, type ScheduleOptions } from "../model/schedule.ts";
import type { JsonText, OnBlockerFailure } from "../model/state-job.ts";

/** Starts or finds the sequences that a job waits for. */
export type StartBlockers = (options: {
  readonly job: Job;
}) => Promise<readonly { readonly id: string; readonly typeName: string }[]>;

/** The options of any new job, types aside. */
export interface NewJobOptions {
  readonly typeName: string;
  readonly input: unknown;
  readonly schedule?: ScheduleOptions | undefined;
  readonly priority?: number | undefined;
  readonly startBlockers?: StartBlockers | undefined;
  readonly onBlockerFailure?: OnBlockerFailure | undefined;
  readonly waitAtMostMs?: number | undefined;
}

/** The fields of a new job that its options decide. */
export type CheckedFields = Omit<
  Extract<NewStateJob, { readonly kind: "entry" }>,
  "kind" | "rootSequenceId" | "originId" | "deduplication" | "traceContext" | "id"
>;

const optionNames: readonly string[] = [
  "typeName",
  "input",
  "schedule",
  "priority",
  "startBlockers",
  "onBlockerFailure",
  "waitAtMostMs",
];

const blockerFailures: readonly unknown[] = ["wait", "fail", "continue"];

/** Of the first job of a sequence. */
export const entryOptionNames: readonly string[] = [
  ...optionNames,
  "deduplication",
  "parent",
  "id",
];

/** Checks one new job; the payload is validated, then serialised. A promise only if its schema is asynchronous. */
export const checkNewJob = (
  engine: Pick<
    Engine,
    "registry" | "implementedTypes" | "codec" | "jobTypeLimits" | "payloadBytesMax"
  >,
  options: NewJobOptions,
  names: readonly string[] = optionNames,
): CheckedFields | Promise<CheckedFields> => {
  const { registry, implementedTypes, jobTypeLimits } = engine;
  const { typeName, schedule, priority = 0, startBlockers, onBlockerFailure = "wait" } = options;
  assertName(typeName, "typeName");
  assertKnownOptions(options, names);
  registry.assertKnown(typeName);
  implementedTypes.check(typeName);
  if (schedule !== undefined) assertSchedule(schedule);
  assertInteger(priority, "priority", { min: -limits.priorityMax, max: limits.priorityMax });
  if (!blockerFailures.includes(onBlockerFailure)) {
    const remedy = 'give "wait", "fail" or "continue"';
    throw new InvalidOptionError("onBlockerFailure", onBlockerFailure, remedy);
  }
  assertWait(options);
  assertStartBlockers(registry.expectsBlockers(typeName), typeName, startBlockers);
  const toFields = (input: JsonText): CheckedFields => ({
    typeName,
    input,
    schedule: schedule ?? null,
    priority,
    awaitsBlockers: startBlockers !== undefined,
    onBlockerFailure,
    limitKey: jobTypeLimits.keyOf(typeName, input),
  });
  const input = toPayloadText(engine, { typeName, part: "input" }, options.input);
  return input instanceof Promise ? input.then(toFields) : toFields(input);
};

const assertWait = ({ startBlockers, waitAtMostMs }: NewJobOptions): void => {
  if (waitAtMostMs === undefined) return;
  assertDurationMs(waitAtMostMs, "waitAtMostMs");
  if (startBlockers !== undefined) return;
  const remedy = "it limits the wait for blockers: give `startBlockers`, too";
  throw new InvalidOptionError("waitAtMostMs", waitAtMostMs, remedy);
};

const assertStartBlockers = (
  isExpected: boolean | undefined,
  typeName: string,
  startBlockers: unknown,
): void => {
  if (startBlockers !== undefined && typeof startBlockers !== "function") {
    throw new InvalidOptionError("startBlockers", startBlockers, "give a function");
  }
  if (isExpected === true && startBlockers === undefined) {
    throw new BlockersMismatchError(typeName, "the blockers it declares", "no `startBlockers`");
  }
  if (isExpected === false && startBlockers !== undefined) {
    throw new BlockersMismatchError(typeName, "no blockers", "a `startBlockers`");
  }
};

/** The tree of new sequences inside `startBlockers`: that of the job that will wait for them. */
export interface Lineage {
  readonly rootSequenceId: string;
  readonly originId: string;
  readonly traceContext: string | null;
}

const storage = new ScopedStorage<{ lineage: Lineage | null }>();

/** Runs `startBlockers` for a job. Sequences that it starts descend from the job. The lineage ends with the callback. */
export const withLineage = async <T>(lineage: Lineage, callback: () => Promise<T>): Promise<T> => {
  const cell: { lineage: Lineage | null } = { lineage };
  try {
    return await storage.run(cell, callback);
  } finally {
    cell.lineage = null;
  }
};

/** The job for which blockers are being started right now. */
export const currentLineage = (): Lineage | null => storage.get()?.lineage ?? null;

/** A job, or a sequence: its id is that of its first job. */
export interface Parent {
  readonly id: string;
  readonly sequenceId?: string | undefined;
}

export const assertParent = (parent: Parent): void => {
  assertObject(parent, "parent");
  assertName(parent.id, "parent.id");
  if (parent.sequenceId !== undefined) assertName(parent.sequenceId, "parent.sequenceId");
};

/**
 * Puts the jobs that name a parent into its tree. The sequences of the parents stay locked until the transaction ends. A
 * deletion of the tree therefore comes before this call, which then finds no parent, or after the commit, and sees the child.
 */
export const joinParents = async (
  { state }: Engine,
  context: object | undefined,
  parents: readonly (Parent | undefined)[],
  jobs: readonly NewEntryJob[],
): Promise<readonly NewEntryJob[]> => {
  const ids = [...new Set(parents.flatMap((parent) => (parent ? [sequenceIdOf(parent)] : [])))];
  // A start with a parent has a context, if need be that of a transaction of its own.
  if (ids.length === 0 || context === undefined) return jobs;
  const sequences = await state.lockSequences({ context, ids });
  const rootIds = new Map(ids.map((id, index) => [id, sequences[index]?.first.rootSequenceId]));
  return jobs.map((job, index) => {
    const parent = parents[index];
    if (parent === undefined) return job;
    const rootSequenceId = rootIds.get(sequenceIdOf(parent));
    if (rootSequenceId === undefined) throw new JobNotFoundError(parent.id);
    return { ...job, rootSequenceId, originId: parent.id };
  });
};

const sequenceIdOf = ({ id, sequenceId }: Parent): string => sequenceId ?? id;
