// A sequence that is no longer wanted: its job never runs again. A running attempt loses its lease at once. Its handler is
// told through its signal, and nothing of the attempt is stored.
import type {
  CancelDependants,
  CancelSequencesResult,
  CancelSequencesParams,
} from "../adapters/state-adapter-params.ts";
import { type Effects, requireTransaction } from "../after-commit/open-transactions.ts";

import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, JobSequencesStillBlockingError } from "../errors.ts";
import { assertName } from "../model/assert-option.ts";
import { toReference } from "../model/job.ts";
import type { StateJob } from "../model/state-job.ts";
import type { CancelJobSequencesResult } from "../public-types/cancel.ts";
import { reportLost } from "./attempt-events.ts";
import { assertIds } from "./delete-sequences.ts";
import { addFailedDependantEffects, addUnblockedEffects } from "./job-effects.ts";
import type { Attempt } from "./process-job/attempt.ts";

export interface CancelOptions {
  readonly ids: readonly string[];
  readonly tree?: boolean | undefined;
  readonly dependants?: CancelDependants | undefined;
  readonly reason?: string | undefined;
}

type Cancelled = Extract<CancelSequencesResult, { readonly kind: "cancelled" }>;

/** In the caller's transaction if a context is given, else by itself. */
export const cancelSequences = async (
  engine: Engine,
  context: object | undefined,
  options: CancelOptions,
): Promise<CancelJobSequencesResult> => {
  const { ids, tree = true, dependants = "refuse", reason } = options;
  assertIds(ids, "ids");
  assertCancelOptions({ tree, dependants, reason });
  if (context === undefined) engine.nesting.assertOutside("cancelJobSequences");
  else await requireTransaction(engine, context, "cancelJobSequences");
  const result = await store(engine, {
    context,
    sequences: ids.map((id) => ({ id, lease: null })),
    tree,
    dependants,
    // A retry could run it again, and is refused for ever once a blocker was cancelled.
    failed: true,
    reason: reason === undefined ? null : JSON.stringify(reason),
  });
  recordCancelled(engine, context, result, reason ?? null);
  return {
    cancelled: result.jobs.length,
    running: result.jobs.filter(({ wasRunning }) => wasRunning).length,
    failed: result.dependants.length,
    refused: result.results.flatMap((one, index) =>
      one.kind === "refused" ? [{ id: ids[index] ?? "", reason: one.reason }] : [],
    ),
  };
};

/** The sequences give way to new ones of their keys. A sequence that has ended meanwhile is left. */
export const cancelReplaced = async (
  engine: Engine,
  context: object,
  ids: readonly string[],
): Promise<void> => {
  const reason = "replaced by a start with the same deduplication key";
  const result = await store(engine, {
    ...{ context, tree: true, dependants: "refuse", reason: JSON.stringify(reason) },
    sequences: ids.map((id) => ({ id, lease: null })),
  });
  recordCancelled(engine, context, result, reason);
};

/**
 * The sequences of each group give way, all of a group or none. Returns whether they did. A sequence that another job waits
 * for keeps its whole group. One that has ended meanwhile keeps nothing.
 */
export const cancelUnawaited = async (
  engine: Engine,
  context: object,
  groups: readonly (readonly string[])[],
  reason: string,
): Promise<readonly boolean[]> => {
  const kept = new Set<readonly string[]>();
  for (;;) {
    const going = groups.filter((group) => !kept.has(group));
    const ids = [...new Set(going.flat())];
    if (ids.length === 0) break;
    const result = await engine.state.cancelSequences({
      ...{ context, tree: true, dependants: "refuse", reason: JSON.stringify(reason) },
      sequences: ids.map((id) => ({ id, lease: null })),
    });
    if (result.kind === "cancelled") {
      recordCancelled(engine, context, result, reason);
      break;
    }
    const awaited = new Set(result.edges.map(({ blockerSequenceId }) => blockerSequenceId));
    for (const group of going) if (group.some((id) => awaited.has(id))) kept.add(group);
  }
  return groups.map((group) => !kept.has(group));
};

const assertCancelOptions = ({ tree, dependants, reason }: Omit<CancelOptions, "ids">): void => {
  if (typeof tree !== "boolean") {
    throw new InvalidOptionError("tree", tree, "give true or false");
  }
  if (dependants !== "refuse" && dependants !== "fail" && dependants !== "cancel") {
    throw new InvalidOptionError("dependants", dependants, 'give "refuse", "fail" or "cancel"');
  }
  if (reason !== undefined) assertName(reason, "reason", limits.cancelReasonLengthMax);
};

const store = async (engine: Engine, params: CancelSequencesParams<object>): Promise<Cancelled> => {
  const result = await engine.state.cancelSequences(params);
  if (result.kind === "cancelled") return result;
  const dependants = new Set(result.edges.map(({ sequenceId }) => sequenceId));
  throw new JobSequencesStillBlockingError([...dependants], { operation: "cancel" });
};

const recordCancelled = (
  engine: Engine,
  context: object | undefined,
  { jobs, dependants, unblocked }: Cancelled,
  reason: string | null,
): void => {
  const [first] = jobs;
  if (first === undefined) return;
  const evidence = {
    operation: "cancelJobSequences",
    jobId: first.id,
    jobCount: jobs.length,
    isConfirmedBy: (stored: StateJob | undefined): boolean => stored?.status === "cancelled",
  };
  engine.effects.record(context, evidence, (effects) =>
    addCancelledEffects(effects, { jobs, dependants, unblocked }, reason),
  );
};

/** Holders and waiters are notified after the commit: after a rollback the attempts go on. */
const addCancelledEffects = (
  effects: Effects,
  { jobs, dependants, unblocked }: Pick<Cancelled, "jobs" | "dependants" | "unblocked">,
  reason: string | null,
): void => {
  for (const job of jobs) {
    if (job.wasRunning) effects.ownershipLost(job.id);
    effects.sequenceEnded(job.sequenceId);
    effects.emit("jobCancelled", () => ({ ...toReference(job), reason }));
  }
  addFailedDependantEffects(effects, dependants, []);
  addUnblockedEffects(effects, unblocked);
};

/** An attempt whose handler threw `JobCancelledError`. */
export interface Cancelling {
  readonly attempt: Attempt;
  readonly reason: string | null;
  readonly dependants: "fail" | "cancel";
}

/** Cancels the sequences of running jobs, at the request of their handlers. Rejects if it was not stored. */
export const cancelOwnJobs = async (
  engine: Engine,
  items: readonly Cancelling[],
): Promise<void> => {
  // Few handlers cancel their job: one statement each.
  for (const { attempt, reason, dependants } of items) {
    const { id: jobId, sequenceId, leaseVersion } = attempt.job;
    const result = await store(engine, {
      sequences: [{ id: sequenceId, lease: { jobId, leaseVersion } }],
      tree: true,
      dependants,
      reason: reason === null ? null : JSON.stringify(reason),
    });
    const [own] = result.results;
    if (own?.kind === "lost") {
      // After a lost result, a repeated call finds the job cancelled by the first one.
      reportLost(engine, attempt, own.reason);
      continue;
    }
    attempt.result = "cancelled";
    const effects = engine.effects.create();
    effects.about(attempt.span);
    // Its own attempt has ended: only the others have to be notified.
    const jobs = result.jobs.map((job) => (job.id === jobId ? { ...job, wasRunning: false } : job));
    addCancelledEffects(effects, { ...result, jobs }, reason);
    effects.flush();
  }
};
