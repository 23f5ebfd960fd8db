// The actions of plans: the jobs that each applies to, and how it is done. The store checks each job again when it writes.
import type { JobCondition } from "../../adapters/job-condition.ts";
import { JobSequencesStillBlockingError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { RetryFailedJobResult, TriggerJobResult } from "../../public-types/retention.ts";
import type { PlanAction } from "./plan-token.ts";

/** The methods of a client that actions call: they notify workers, and emit events. */
export interface ActingClient {
  retryFailedJobs(options: {
    readonly ids: readonly string[];
  }): Promise<readonly RetryFailedJobResult[]>;
  triggerJobs(options: { readonly ids: readonly string[] }): Promise<readonly TriggerJobResult[]>;
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
    case "delete":
      return [];
  }
};

/** Why an action does not apply to a job; null: it does. */
export const whyNot = (action: PlanAction, job: StateJob | undefined): string | null => {
  if (job === undefined) return "not_found";
  if (action === "retry" && job.status !== "failed") return "not_failed";
  if (action === "trigger" && job.status !== "pending") return "not_pending";
  return null;
};

/** The unit that an action counts: jobs, and for a deletion trees. */
export const unitOf = (action: PlanAction, job: StateJob): string =>
  action === "delete" ? job.rootSequenceId : job.id;

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
    case "delete":
      return deleteTrees(client, ids);
  }
};

const toResult = (results: readonly (RefusedJob | null)[]): ActionResult => {
  const refused = results.filter((each) => each !== null).map(({ id, reason }) => ({ id, reason }));
  return { done: results.length - refused.length, refused };
};

/** All trees in one transaction. If jobs outside wait for one of them, each is tried by itself. */
const deleteTrees = async (
  client: ActingClient,
  roots: readonly string[],
): Promise<ActionResult> => {
  if (await tryDelete(client, roots)) return { done: roots.length, refused: [] };
  if (roots.length === 1) {
    return { done: 0, refused: roots.map((id) => ({ id, reason: "still_blocking" })) };
  }
  let done = 0;
  const refused: RefusedJob[] = [];
  for (const root of roots) {
    const result = await deleteTrees(client, [root]);
    done += result.done;
    refused.push(...result.refused);
  }
  return { done, refused };
};

const tryDelete = async (client: ActingClient, roots: readonly string[]): Promise<boolean> => {
  try {
    await client.transaction((context) =>
      client.deleteJobSequences({ ...context, rootSequenceIds: roots }),
    );
    return true;
  } catch (error) {
    if (error instanceof JobSequencesStillBlockingError) return false;
    throw error;
  }
};
