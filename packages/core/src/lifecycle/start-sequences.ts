// Step 1: everything is checked before anything is written; then one statement stores all the jobs, whatever their number.
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";
import type {
  ObservabilitySpan,
  SpanDescription,
  SpanOutcome,
} from "../adapters/observability-adapter.ts";
import type { NewEntryJob } from "../adapters/state-adapter-params.ts";
import type { OpenTransaction } from "../after-commit/open-transactions.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError } from "../errors.ts";
import { type DeduplicationOptions, toStateDeduplication } from "../model/deduplication.ts";
import { assertObject } from "../model/assert-option.ts";
import type { JobSequence } from "../model/sequence.ts";
import type { StateJob } from "../model/state-job.ts";
import { toJobSequence } from "../model/to-job.ts";
import { addBlockers, type BlockedStart } from "./add-blockers.ts";
import { assertInTransaction } from "./assert-in-transaction.ts";
import { recordStarts } from "./record-created.ts";
import { currentLineage, type Lineage } from "./lineage.ts";
import { observeStep } from "./observe-step.ts";
import { type CheckedFields, checkNewJob, type NewJobOptions } from "./new-job.ts";

export interface StartOptions extends NewJobOptions {
  readonly deduplication?: DeduplicationOptions | undefined;
}

export type StartedSequence = JobSequence & { readonly deduplicated: boolean };

/** Starts sequences in the caller's transaction; answers them in order. */
export const startSequences = async (
  engine: Engine,
  context: object,
  sequences: readonly StartOptions[],
  operation: string,
): Promise<readonly StartedSequence[]> => {
  if (!Array.isArray(sequences)) {
    throw new InvalidOptionError("sequences", sequences, "give an array");
  }
  // Not `forEach`, which leaves out the holes of an array.
  for (const options of sequences) assertObject(options, "sequences");
  const lineage = currentLineage();
  const start = async (span: ObservabilitySpan | null): Promise<Started> => {
    const jobs: NewEntryJob[] = [];
    const traceContext = span?.traceContext() ?? lineage?.traceContext ?? null;
    for (const options of sequences as readonly StartOptions[]) {
      const checked = checkNewJob(engine, options);
      // Hardly any schema is asynchronous: thousands of starts in one call need not wait for one another.
      const fields = checked instanceof Promise ? await checked : checked;
      jobs.push(toNewEntryJob(engine, options, fields, lineage, traceContext));
    }
    await assertInTransaction(engine, context, operation);
    return storeSequences(engine, context, sequences, jobs, operation);
  };
  const { started } = await observeStep(engine, () => describeStart(sequences), start, toOutcome);
  return started;
};

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
  { deduplication }: StartOptions,
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
  };
};

const storeSequences = async (
  engine: Engine,
  context: object,
  sequences: readonly StartOptions[],
  jobs: readonly NewEntryJob[],
  operation: string,
): Promise<Started> => {
  const ending = endingTransaction(engine, context, sequences);
  let isAnnounced = false;
  const created = await engine.state.createJobs({
    context,
    jobs,
    andCommit: ending !== undefined,
    onCommitted: () => {
      // Workers hear of it before the answer is read, and before the caller's promises resolve.
      isAnnounced = true;
      engine.announcer.jobScheduled(toHints(jobs));
    },
  });
  const stored = created.map(({ job }) => job);

  // A sequence that was there already has its blockers; starting others would only make waste.
  const blocked: (BlockedStart & { readonly index: number })[] = [];
  created.forEach(({ job, deduplicated }, index) => {
    const startBlockers = sequences[index]?.startBlockers;
    if (!deduplicated && startBlockers !== undefined) blocked.push({ job, startBlockers, index });
  });
  const blockersOf = new Map<number, readonly string[]>();
  if (blocked.length > 0) {
    const results = await addBlockersOrUndo(engine, context, blocked);
    blocked.forEach(({ index }, position) => {
      const result = results[position];
      if (result === undefined) return;
      stored[index] = result.job;
      blockersOf.set(index, result.blockerSequenceIds);
    });
  }

  const deduplicatedIds = created.filter((one) => one.deduplicated).map(({ job }) => job.id);
  const current = await currentJobs(engine, context, deduplicatedIds);
  const starts = created.map(({ deduplicated }, index) => ({
    job: stored[index] as StateJob, // Answers come in the order of the questions.
    deduplicated,
    blockerSequenceIds: blockersOf.get(index) ?? [],
  }));
  recordStarts(engine, context, starts, { operation, isAnnounced });
  const started = starts.map(({ job, deduplicated }): StartedSequence => {
    const sequence = toJobSequence({ first: job, current: current.get(job.id) ?? job });
    // Made for this call alone; a copy of each would cost as much as making it.
    return Object.assign(sequence, { deduplicated });
  });
  return { started, jobs: stored };
};

/** None of them waits for anything. */
const toHints = (jobs: readonly NewEntryJob[]): readonly JobScheduledHint[] => {
  const counts = new Map<string, number>();
  for (const { typeName } of jobs) counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
  return [...counts].map(([typeName, count]) => ({ typeName, count }));
};

/**
 * The caller's transaction, if it consists of this and has no more to do: where the store can, one round trip then begins
 * it, stores the jobs and commits. What has blockers, or may be found instead of stored, takes further statements.
 */
const endingTransaction = (
  { state, transactions }: Engine,
  context: object,
  sequences: readonly StartOptions[],
): OpenTransaction | undefined => {
  if (state.capabilities.createsAndCommits !== true) return undefined;
  if (sequences.some((one) => one.startBlockers || one.deduplication)) return undefined;
  const transaction = transactions.find(context);
  return transaction?.tryEnd() === true ? transaction : undefined;
};

/**
 * A start that throws must leave nothing behind, should the caller catch it and commit: a job stored as blocked that was
 * never told its blockers would wait for ever. Trees under somebody else's root go with that root's own start.
 */
const addBlockersOrUndo = async (
  engine: Engine,
  context: object,
  blocked: readonly BlockedStart[],
): Promise<Awaited<ReturnType<typeof addBlockers>>> => {
  try {
    return await addBlockers(engine, context, blocked);
  } catch (error) {
    const rootSequenceIds = blocked.flatMap(({ job }) =>
      job.rootSequenceId === job.id ? [job.id] : [],
    );
    // In a transaction that is broken already there is nothing left to undo.
    await engine.state.deleteSequences({ context, rootSequenceIds }).catch(() => undefined);
    throw error;
  }
};

/** A sequence that was found may have gone on since its first job: its status is its current job's. */
const currentJobs = async (
  engine: Engine,
  context: object,
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
