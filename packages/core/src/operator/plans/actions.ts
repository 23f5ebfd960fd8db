// The actions of plans: the jobs that each applies to, and how it is done. The store checks each job again when it writes.
import type { JobCondition } from "../../adapters/job-condition.ts";
import { JobSequencesStillBlockingError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import { isFinished, jobStatuses } from "../../model/status.ts";
import type { CancelJobSequencesResult } from "../../public-types/cancel.ts";
import type { RetryFailedJobResult, TriggerJobResult } from "../../public-types/retention.ts";
import type { PlanAction } from "./plan-token.ts";

/** The methods of a client that actions call: they notify workers, and emit events. */
export interface ActingClient {
  retryFailedJobs(options: {
    readonly ids: readonly string[];
  }): Promise<readonly RetryFailedJobResult[]>;
  triggerJobs(options: { readonly ids: readonly string[] }): Promise<readonly TriggerJobResult[]>;
  cancelJobSequences(options: {
    readonly ids: readonly string[];
  }): Promise<Pick<CancelJobSequencesResult, "refused">>;
  transaction<T>(callback: (context: object) => Promise<T>): Promise<T>;
  deleteJobSequences(options: {
    readonly rootSequenceIds: readonly string[];
  }): Promise<{ readonly jobCount: number }>;
}

/** A job that an action leaves as it is. */
export interface RefusedJob {
  readonly id: string;
  readonly reason: string;
}

export interface ActionResult {
  readonly done: number;
  readonly refused: readonly RefusedJob[];
}

/** The jobs that an action applies to. */
export const conditionsOf = (action: PlanAction): readonly JobCondition[] => {
  switch (action) {
    case "retry":
      return [{ field: "status", anyOf: ["failed"], negated: false }];
    case "trigger":
      return [{ field: "status", anyOf: ["pending"], negated: false }];
    case "cancel":
      return [{ field: "status", anyOf: unfinished, negated: false }];
    case "delete":
      return [];
  }
};

const unfinished = jobStatuses.filter((status) => !isFinished(status));

/** Why an action does not apply to a job; null: it does. */
export const whyNot = (action: PlanAction, job: StateJob | undefined): string | null => {
  if (job === undefined) return "not_found";
  if (action === "retry" && job.status !== "failed") return "not_failed";
  if (action === "trigger" && job.status !== "pending") return "not_pending";
  if (action === "cancel" && isFinished(job.status)) return "already_ended";
  return null;
};

/** Whether the number of a plan must be repeated: it changes several jobs, or cannot be undone. */
export const needsCount = (action: PlanAction, count: number): boolean =>
  action === "cancel" || action === "delete" || count > 1;

/** The unit that an action counts: jobs, for a cancellation sequences, and for a deletion trees. */
export const unitOf = (action: PlanAction, job: StateJob): string => {
  switch (action) {
    case "cancel":
      return job.sequenceId;
    case "delete":
      return job.rootSequenceId;
    default:
      return job.id;
  }
};

/** Runs an action on jobs, or on the trees of these roots. */
export const runAction = async (
  client: ActingClient,
  action: PlanAction,
  ids: readonly string[],
): Promise<ActionResult> => {
  switch (action) {
    case "retry": {
      const results = await client.retryFailedJobs({ ids });
      return toResult(results.map((each) => (each.retried ? null : each)));
    }
    case "trigger": {
      const results = await client.triggerJobs({ ids });
      return toResult(results.map((each) => (each.triggered ? null : each)));
    }
    case "cancel":
      return togetherOrEach(ids, (sequences) => cancelSequences(client, sequences));
    case "delete":
      return togetherOrEach(ids, (roots) => deleteTrees(client, roots));
  }
};

const toResult = (results: readonly (RefusedJob | null)[]): ActionResult => {
  const refused = results.filter((each) => each !== null).map(({ id, reason }) => ({ id, reason }));
  return { done: results.length - refused.length, refused };
};

/** All units in one transaction. If jobs outside wait for one of them, each is tried by itself. */
const togetherOrEach = async (
  ids: readonly string[],
  run: (ids: readonly string[]) => Promise<ActionResult>,
): Promise<ActionResult> => {
  try {
    return await run(ids);
  } catch (error) {
    if (!(error instanceof JobSequencesStillBlockingError)) throw error;
    if (ids.length === 1) {
      return { done: 0, refused: ids.map((id) => ({ id, reason: "still_blocking" })) };
    }
  }
  let done = 0;
  const refused: RefusedJob[] = [];
  for (const id of ids) {
    const result = await togetherOrEach([id], run);
    done += result.done;
    refused.push(...result.refused);
  }
  return { done, refused };
};

const deleteTrees = async (
  client: ActingClient,
  rootSequenceIds: readonly string[],
): Promise<ActionResult> => {
  await client.transaction((context) => client.deleteJobSequences({ ...context, rootSequenceIds }));
  return { done: rootSequenceIds.length, refused: [] };
};

const cancelSequences = async (
  client: ActingClient,
  ids: readonly string[],
): Promise<ActionResult> => {
  const { refused } = await client.cancelJobSequences({ ids });
  return { done: ids.length - refused.length, refused };
};
