// Step 1: every option is checked before the first write. Then one statement stores all jobs of the call.
import type {
  ObservabilitySpan,
  SpanDescription,
  SpanOutcome,
} from "../adapters/observability-adapter.ts";
import type { CreatedStateJob, NewEntryJob } from "../adapters/state-adapter-params.ts";
import { requireTransaction, runTransaction } from "../after-commit/open-transactions.ts";
import type { Engine } from "../engine.ts";
import { limits } from "../defaults.ts";
import { InvalidOptionError, LimitExceededError } from "../errors.ts";
import { type DeduplicationOptions, toStateDeduplication } from "../model/deduplication.ts";
import { assertElementCount, assertObject } from "../model/assert-option.ts";
import type { StateJob } from "../model/state-job.ts";
import { type JobSequence, toJobSequence } from "../model/sequence.ts";
import { addBlockersOrUndo, type BlockedStart } from "./add-blockers.ts";
import { type RecordedStart, recordStarts } from "./job-effects.ts";
import { assertGivenId, refuseTakenIds } from "./given-ids.ts";
import { replaceTaken } from "./replace-taken.ts";
import { replaceWaiting } from "./replace-waiting.ts";
import { runInSpan } from "../observe/guarded-span.ts";
import {
  assertParent,
  type CheckedFields,
  checkNewJob,
  currentLineage,
  entryOptionNames,
  joinParents,
  type Lineage,
  type NewJobOptions,
  type Parent,
} from "./new-job.ts";

export interface StartOptions extends NewJobOptions {
  readonly id?: string | undefined;
  readonly deduplication?: DeduplicationOptions | undefined;
  readonly parent?: Parent | undefined;
}

export type StartedSequence = JobSequence & {
  readonly deduplicated: boolean;
  readonly replaced: boolean;
};

/** One call that starts sequences. */
export interface StartCall {
  /** The method that the user called, for errors and events. */
  readonly operation: string;
  readonly sequences: readonly StartOptions[];
  readonly context: object | undefined;
  readonly autocommit?: unknown;
}

/** Starts sequences in the caller's transaction, or with `autocommit` in one of their own. Keeps their order. */
export const startSequences = async (
  engine: Engine,
  call: StartCall,
): Promise<readonly StartedSequence[]> => {
  const { sequences } = call;
  if (!Array.isArray(sequences)) {
    throw new InvalidOptionError("sequences", sequences, "give an array");
  }
  assertElementCount(sequences, "sequences");
  // Not `forEach`, which skips the holes of an array.
  for (const options of sequences) assertObject(options, "sequences");
  if (isAutocommit(call) && needsSeveralStatements(sequences)) {
    return runTransaction(engine, (context) =>
      startSequences(engine, { ...call, context, autocommit: undefined }),
    );
  }
  const span = engine.observer.startSpan(() => describeStart(sequences));
  const { started } = await (span === null
    ? start(engine, call, null)
    : runInSpan(span, () => start(engine, call, span), toOutcome));
  return started;
};

/** Whether a call commits by itself. Refuses a context beside that. */
export const isAutocommit = ({
  autocommit,
  context,
  operation,
}: Pick<StartCall, "autocommit" | "context" | "operation">): boolean => {
  if (autocommit === undefined || autocommit === false) return false;
  if (autocommit !== true) {
    throw new InvalidOptionError("autocommit", autocommit, "give true, or leave it out");
  }
  if (context !== undefined) {
    const remedy = `${operation} commits with the transaction of its context: give only one of the two`;
    throw new InvalidOptionError("autocommit", autocommit, remedy);
  }
  if (currentLineage() !== null) {
    const remedy = "inside `startBlockers`, spread the context that it is given instead";
    throw new InvalidOptionError("autocommit", autocommit, remedy);
  }
  return true;
};

/** Parents are locked before, and blockers are stored after a job. A sequence that is found is read after that. */
const needsSeveralStatements = (sequences: readonly StartOptions[]): boolean =>
  sequences.some(
    ({ startBlockers, deduplication, parent, id }) =>
      startBlockers !== undefined ||
      deduplication !== undefined ||
      parent !== undefined ||
      id !== undefined,
  );

const start = async (
  engine: Engine,
  call: StartCall,
  span: ObservabilitySpan | null,
): Promise<Started> => {
  const lineage = currentLineage();
  const traceContext = span?.traceContext() ?? lineage?.traceContext ?? null;
  const jobs: NewEntryJob[] = [];
  let characterCount = 0;
  for (const options of call.sequences) {
    const checked = checkNewJob(engine, options, entryOptionNames);
    // Few schemas are asynchronous: the others cost no turn of the event loop.
    const fields = checked instanceof Promise ? await checked : checked;
    if (options.parent !== undefined) assertParent(options.parent);
    assertGivenId(options);
    characterCount += fields.input.length;
    if (characterCount > limits.callCharactersMax) throw tooLargeTogether(characterCount);
    jobs.push(toNewEntryJob(engine, options, fields, lineage, traceContext));
  }
  if (call.autocommit === true) engine.nesting.assertOutside(call.operation);
  else await requireTransaction(engine, call.context, call.operation, "`autocommit: true`");
  const parents = call.sequences.map(({ parent }) => parent);
  const hasParents = parents.some((parent) => parent !== undefined);
  const joined = hasParents ? await joinParents(engine, call.context, parents, jobs) : jobs;
  return storeSequences(engine, call, joined);
};

/** The sum so far: the inputs that follow are not serialised any more. */
const tooLargeTogether = (characterCount: number): LimitExceededError =>
  new LimitExceededError({
    field: "sequences",
    limit: limits.callCharactersMax,
    actual: characterCount,
    unit: "characters",
    remedy: "divide the sequences among several calls",
  });

interface Started {
  readonly started: readonly StartedSequence[];
  /** The first job of each, as stored. */
  readonly jobs: readonly StateJob[];
}

const describeStart = (sequences: readonly StartOptions[]): SpanDescription => ({
  kind: "startSequences",
  typeNames: sequences.map(({ typeName }) => typeName),
});

const toOutcome = ({ started, jobs }: Started): SpanOutcome => ({
  kind: "ok",
  started: started.map(({ id, deduplicated }, index) => ({
    sequenceId: id,
    deduplicated,
    traceContext: jobs[index]?.traceContext ?? null,
  })),
});

const toNewEntryJob = (
  engine: Engine,
  { deduplication, id }: StartOptions,
  fields: CheckedFields,
  lineage: Lineage | null,
  traceContext: string | null,
): NewEntryJob => {
  engine.registry.assertEntry(fields.typeName);
  return {
    kind: "entry",
    typeName: fields.typeName,
    input: fields.input,
    schedule: fields.schedule,
    priority: fields.priority,
    awaitsBlockers: fields.awaitsBlockers,
    onBlockerFailure: fields.onBlockerFailure,
    rootSequenceId: lineage?.rootSequenceId ?? null,
    originId: lineage?.originId ?? null,
    deduplication: deduplication === undefined ? null : toStateDeduplication(deduplication),
    traceContext,
    limitKey: fields.limitKey,
    id,
  };
};

/** One sequence as its start has stored or found it. */
interface StoredStart extends RecordedStart {
  readonly current: StateJob;
  readonly replaced: boolean;
}

const noBlockers: readonly string[] = [];

const storeSequences = async (
  engine: Engine,
  call: StartCall,
  jobs: readonly NewEntryJob[],
): Promise<Started> => {
  const { operation, context } = call;
  const found = await engine.state.createJobs({ context, jobs });
  // Most starts are stored with that, and skip the calls that would find nothing to do.
  const stored: readonly StoredStart[] = needsSeveralStatements(call.sequences)
    ? await completeStarts(engine, call, jobs, found)
    : found.map(({ job, deduplicated }) => ({
        job,
        current: job,
        deduplicated,
        replaced: false,
        blockerSequenceIds: noBlockers,
      }));
  recordStarts(engine, context, stored, operation);
  const started = stored.map(({ job, current, deduplicated, replaced }): StartedSequence => {
    const sequence = toJobSequence(engine.codec, { first: job, current });
    // Made for this call alone: a copy would cost as much again.
    return Object.assign(sequence, { deduplicated, replaced });
  });
  return { started, jobs: stored.map(({ job }) => job) };
};

/** Starts with a key or an id may have found a sequence, and others have blockers to store. */
const completeStarts = async (
  engine: Engine,
  { context, sequences }: StartCall,
  jobs: readonly NewEntryJob[],
  found: readonly CreatedStateJob[],
): Promise<readonly StoredStart[]> => {
  await refuseTakenIds(engine, context, jobs, found);
  const starting = { sequences, jobs };
  const taken = await replaceTaken(engine, context, starting, found);
  const created = await replaceWaiting(engine, context, starting, taken);
  const stored = created.map(({ job }) => job);
  const blockersOf = await storeBlockers(engine, { context, sequences }, created, stored);
  const deduplicatedIds = created.filter((one) => one.deduplicated).map(({ job }) => job.id);
  const current = await currentJobs(engine, context, deduplicatedIds);
  return created.map(({ deduplicated, replaced = false }, index) => {
    const job = stored[index] as StateJob; // Results keep the order of the arguments.
    return {
      job,
      deduplicated,
      replaced,
      current: current.get(job.id) ?? job,
      blockerSequenceIds: blockersOf.get(index) ?? noBlockers,
    };
  });
};

/** Stores the blockers of the jobs that have some, and puts those jobs, as they are then, into `stored`. */
const storeBlockers = async (
  engine: Engine,
  { context, sequences }: Pick<StartCall, "context" | "sequences">,
  created: readonly CreatedStateJob[],
  stored: StateJob[],
): Promise<ReadonlyMap<number, readonly string[]>> => {
  const blockersOf = new Map<number, readonly string[]>();
  const blocked: (BlockedStart & { readonly index: number })[] = [];
  created.forEach(({ job, deduplicated }, index) => {
    const { startBlockers, waitAtMostMs } = sequences[index] ?? {};
    // A sequence that was found by its key has its blockers already.
    if (!deduplicated && startBlockers !== undefined)
      blocked.push({ job, startBlockers, waitAtMostMs, index });
  });
  // Jobs with blockers are stored in a transaction only.
  if (blocked.length === 0 || context === undefined) return blockersOf;
  const results = await addBlockersOrUndo(engine, context, blocked);
  blocked.forEach(({ index }, position) => {
    const result = results[position];
    if (result === undefined) return;
    stored[index] = result.job;
    blockersOf.set(index, result.blockerSequenceIds);
  });
  return blockersOf;
};

/** A sequence that was found by its key may have continued: its status is that of its current job. */
const currentJobs = async (
  engine: Engine,
  context: object | undefined,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StateJob>> => {
  if (ids.length === 0) return new Map();
  const found = await engine.state.getSequences({ context, ids });
  return new Map(
    found.flatMap((sequence) =>
      sequence === undefined ? [] : [[sequence.first.id, sequence.current] as const],
    ),
  );
};
