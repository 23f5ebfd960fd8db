// Step 2, for jobs with blockers. The job is stored as blocked first, so that the sequences started for it can name it as
// their origin. Then its blockers are stored, which releases it at once if all of them are completed.
import type { AddBlockersParams } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { limits } from "../defaults.ts";
import { BlockersMismatchError, JobNotFoundError, LimitExceededError } from "../errors.ts";
import { describeValue } from "../model/describe-error.ts";
import { toJob } from "../model/job.ts";
import type { StateJob } from "../model/state-job.ts";
import { type StartBlockers, withLineage } from "./new-job.ts";

export interface BlockedStart {
  readonly job: StateJob;
  readonly startBlockers: StartBlockers;
  /** Undefined: without end. */
  readonly waitAtMostMs: number | undefined;
}

/** A job as it is once its blockers are stored. */
interface WithBlockers {
  readonly job: StateJob;
  readonly blockerSequenceIds: readonly string[];
}

/** Runs each `startBlockers` and stores the edges in one call. Answers the jobs as they are afterwards. */
export const addBlockers = async (
  engine: Engine,
  context: object,
  starts: readonly BlockedStart[],
): Promise<readonly WithBlockers[]> => {
  const edges: AddBlockersParams<object>["jobs"][number][] = [];
  let blockerCount = 0;
  for (const { job, startBlockers, waitAtMostMs } of starts) {
    const blockerSequenceIds = await runStartBlockers(engine, context, job, startBlockers);
    blockerCount += blockerSequenceIds.length;
    if (blockerCount > limits.callElementsMax) {
      const remedy = "start the jobs that wait for them in several calls";
      throw tooManyBlockers(job.typeName, limits.callElementsMax, blockerCount, remedy);
    }
    edges.push({ jobId: job.id, blockerSequenceIds, waitAtMostMs });
  }
  const results = await engine.state.addBlockers({ context, jobs: edges });
  return results.map(({ job, missing }, index) => {
    // The caller's transaction is rolled back by this, with the job and the blockers started for it.
    if (missing[0] !== undefined) throw new JobNotFoundError(missing[0]);
    return { job, blockerSequenceIds: edges[index]?.blockerSequenceIds ?? [] };
  });
};

/**
 * `addBlockers` for jobs that start sequences. If the caller catches the error of a start and commits, nothing of the start may remain. A blocked job without its
 * blockers would wait for ever. A tree below another root is removed with the start of that root.
 */
export const addBlockersOrUndo = async (
  engine: Engine,
  context: object,
  blocked: readonly BlockedStart[],
): Promise<readonly WithBlockers[]> => {
  try {
    return await addBlockers(engine, context, blocked);
  } catch (error) {
    const rootSequenceIds = blocked.flatMap(({ job }) =>
      job.rootSequenceId === job.id ? [job.id] : [],
    );
    // A transaction that is broken already stores nothing.
    await engine.state.deleteSequences({ context, rootSequenceIds }).catch(() => undefined);
    throw error;
  }
};

const runStartBlockers = async (
  { registry, codec }: Engine,
  context: object,
  job: StateJob,
  startBlockers: StartBlockers,
): Promise<readonly string[]> => {
  const { rootSequenceId, traceContext } = job;
  const lineage = { rootSequenceId, originId: job.id, traceContext };
  const blockers: unknown = await withLineage(lineage, () =>
    startBlockers({ ...context, job: toJob(codec, job) }),
  );
  assertSequences(job.typeName, blockers);
  if (blockers.length > limits.blockersMax) {
    const remedy = "let sequences in between wait for some of them each";
    throw tooManyBlockers(job.typeName, limits.blockersMax, blockers.length, remedy);
  }
  registry.assertBlockers(
    job.typeName,
    blockers.map(({ typeName }) => typeName),
  );
  return blockers.map(({ id }) => id);
};

const tooManyBlockers = (
  typeName: string,
  limit: number,
  actual: number,
  remedy: string,
): LimitExceededError =>
  new LimitExceededError({ field: "blockers", typeName, limit, actual, unit: "elements", remedy });

interface Sequence {
  readonly id: string;
  readonly typeName: string;
}

/** Names a wrong value in the error: an id, or the promise of a start that was not awaited. */
const assertSequences: (
  typeName: string,
  blockers: unknown,
) => asserts blockers is readonly Sequence[] = (typeName, blockers) => {
  const expected = "an array of sequences";
  if (!Array.isArray(blockers)) {
    throw new BlockersMismatchError(typeName, expected, describeValue(blockers));
  }
  for (const [index, blocker] of blockers.entries() as Iterable<[number, unknown]>) {
    if (typeof (blocker as Partial<Sequence> | null)?.id === "string") continue;
    const actual = `${describeValue(blocker)} at [${index}]`;
    throw new BlockersMismatchError(typeName, expected, actual);
  }
};
