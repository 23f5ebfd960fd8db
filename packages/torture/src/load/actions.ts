// The actions of an application on a sequence that it has started, besides waiting for a worker.
import {
  JobSequenceCancelledError,
  JobSequenceFailedError,
  WaitForJobSequenceCompletionTimeoutError,
} from "queuert";
import { externalLease } from "../checker/history.ts";
import { cancelSequence, retryFailed } from "./repair.ts";
import type { LoadSurroundings, StartedPlan } from "./run-plan.ts";

export const actions = ["complete", "trigger", "delete", "retry", "await", "cancel"] as const;
export type Action = (typeof actions)[number];

type Do = (surroundings: LoadSurroundings, victim: StartedPlan) => Promise<void>;

const awaitMs = 5_000;

const complete: Do = async ({ queuert, note, now, writeRow }, { id, typeName }) => {
  const jobId = await queuert.transaction((context) =>
    queuert.completeJobSequence({
      ...context,
      typeName,
      id,
      complete: async ({ job, complete: completeJob }) => {
        const { path } = job.input.plan;
        await completeJob({ id: job.id, typeName: job.typeName as "step" }, async (tx) => {
          await writeRow(tx, { jobId: job.id, leaseVersion: externalLease, path });
          return { path };
        });
        return job.id;
      },
    }),
  );
  note({ kind: "completedExternally", at: now(), jobId });
};

const trigger: Do = async ({ queuert, note, now }, { id }) => {
  note({ kind: "triggering", at: now(), jobId: id });
  await queuert.triggerJobs({ ids: [id] });
};

const remove: Do = async ({ queuert, note, now }, { id }) => {
  note({ kind: "deleting", at: now(), rootSequenceId: id });
  await queuert.transaction((context) =>
    queuert.deleteJobSequences({ ...context, rootSequenceIds: [id] }),
  );
  note({ kind: "deleted", at: now(), rootSequenceId: id });
};

/** Retries the failed jobs of its tree. A broken job will fail again. */
const retry: Do = async (surroundings, { id }) => {
  const { items } = await surroundings.queuert.listJobs({ status: "failed", rootSequenceId: id });
  const failed = items.flatMap((job) =>
    job.status === "failed"
      ? [{ jobId: job.id, sequenceId: job.sequenceId, failedAt: job.failedAt.getTime() }]
      : [],
  );
  await retryFailed(surroundings, failed);
};

const wait: Do = async ({ queuert, note, now }, { id, typeName }) => {
  try {
    const { output } = await queuert.waitForJobSequenceCompletion({
      ...{ id, typeName, timeoutMs: awaitMs },
    });
    note({ kind: "awaited", at: now(), sequenceId: id, how: "completed", path: output.path });
  } catch (error) {
    if (error instanceof JobSequenceFailedError) {
      note({ kind: "awaited", at: now(), sequenceId: id, how: "failed", path: null });
    } else if (error instanceof JobSequenceCancelledError) {
      note({ kind: "awaited", at: now(), sequenceId: id, how: "cancelled", path: null });
      // The call was refused because the sequence was not over yet. A starter may be wrong about
      // that.
    } else if (!(error instanceof WaitForJobSequenceCompletionTimeoutError)) throw error;
  }
};

const dependants = ["refuse", "fail", "cancel"] as const;

const cancel: Do = async (surroundings, { id }) => {
  const { now } = surroundings;
  const how = dependants[Math.floor(now()) % dependants.length] ?? "refuse";
  await cancelSequence(surroundings, id, how);
};

const all: Readonly<Record<Action, Do>> = {
  ...{ complete, trigger, delete: remove, retry, await: wait, cancel },
};

export const doAction = (action: Action, ...args: Parameters<Do>): Promise<void> =>
  all[action](...args);
