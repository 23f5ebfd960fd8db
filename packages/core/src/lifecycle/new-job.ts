// The user's options for a new job, checked and in the store's terms: nothing is written before this has passed.
import type { NewEntryJob, NewStateJob } from "../adapters/state-adapter-params.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { BlockersMismatchError, InvalidOptionError, JobNotFoundError } from "../errors.ts";
import { assertInteger, assertName, assertObject } from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import type { Job } from "../model/job.ts";
import { toJsonText } from "../model/payload.ts";
import { assertSchedule, type ScheduleOptions } from "../model/schedule.ts";
import type { OnBlockerFailure } from "../model/state-job.ts";

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
}

/** The fields of a new job that its options decide. */
export type CheckedFields = Omit<
  Extract<NewStateJob, { readonly kind: "entry" }>,
  "kind" | "rootSequenceId" | "originId" | "deduplication" | "traceContext"
>;

const optionNames: readonly string[] = [
  "typeName",
  "input",
  "schedule",
  "priority",
  "startBlockers",
  "onBlockerFailure",
];

/** Of the first job of a sequence. */
export const entryOptionNames: readonly string[] = [...optionNames, "deduplication", "parent"];

/** Checks one new job; the payload is validated, then serialised. A promise only if its schema is asynchronous. */
export const checkNewJob = (
  {
    registry,
    implementedTypes,
    payloadBytesMax,
  }: Pick<Engine, "registry" | "implementedTypes" | "payloadBytesMax">,
  options: NewJobOptions,
  names: readonly string[] = optionNames,
): CheckedFields | Promise<CheckedFields> => {
  const { typeName, schedule, priority = 0, startBlockers, onBlockerFailure = "wait" } = options;
  assertName(typeName, "typeName");
  assertKnownOptions(options, names);
  registry.assertKnown(typeName);
  implementedTypes.check(typeName);
  if (schedule !== undefined) assertSchedule(schedule);
  assertInteger(priority, "priority", { min: -limits.priorityMax, max: limits.priorityMax });
  if (onBlockerFailure !== "wait" && onBlockerFailure !== "fail") {
    throw new InvalidOptionError("onBlockerFailure", onBlockerFailure, 'give "wait" or "fail"');
  }
  assertStartBlockers(registry.expectsBlockers(typeName), typeName, startBlockers);
  const toFields = (input: unknown): CheckedFields => ({
    typeName,
    input: toJsonText(input, { typeName, part: "input" }, payloadBytesMax),
    schedule: schedule ?? null,
    priority,
    awaitsBlockers: startBlockers !== undefined,
    onBlockerFailure,
  });
  const parsed = registry.parseInput(typeName, options.input);
  return parsed instanceof Promise ? (parsed as Promise<unknown>).then(toFields) : toFields(parsed);
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
