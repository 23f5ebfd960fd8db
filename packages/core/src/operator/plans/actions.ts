// The actions of plans: the jobs that each applies to, and how it is done. The store checks each job again when it writes.
import { possibleStatuses } from "../../adapter-kit/job-conditions.ts";
import type { JobCondition } from "../../adapters/job-condition.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { JobSequencesStillBlockingError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import { isFinished, jobStatuses, type JobStatus } from "../../model/status.ts";
import type { CancelJobSequencesResult } from "../../public-types/cancel.ts";
import type { RetryFailedJobResult, TriggerJobResult } from "../../public-types/retention.ts";
import { search } from "../search/search.ts";
import type { PlanSettings } from "./plan.ts";
import type { PlanAction, PlanContent } from "./plan-token.ts";

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

/** Units that an action is tried on. */
export interface FoundUnits {
  readonly units: readonly string[];
  /** Named jobs that the action does not apply to. Their sequence may go on: it is not to be touched for them. */
  readonly refused: readonly RefusedJob[];
}

/**
 * The jobs that an action applies to, among those of a filter. A failed sequence can be cancelled too. A cancellation is for
 * good, so the filter has to ask for failed jobs.
 */
export const conditionsOf = (
  action: PlanAction,
  given: readonly JobCondition[],
): readonly JobCondition[] => {
  switch (action) {
    case "retry":
      return [{ field: "status", anyOf: ["failed"], negated: false }];
    case "trigger":
      return [{ field: "status", anyOf: ["pending"], negated: false }];
    case "cancel":
      return [{ field: "status", anyOf: cancellableOf(given), negated: false }];
    case "delete":
      return [];
  }
};

const unfinished = jobStatuses.filter((status) => !isFinished(status));

const cancellableOf = (given: readonly JobCondition[]): readonly JobStatus[] =>
  possibleStatuses(given)?.includes("failed") === true ? [...unfinished, "failed"] : unfinished;

/** Why an action does not apply to a job; null: it does. */
export const whyNot = (action: PlanAction, job: StateJob | undefined): string | null => {
  if (job === undefined) return "not_found";
  if (action === "retry" && job.status !== "failed") return "not_failed";
  if (action === "trigger" && job.status !== "pending") return "not_pending";
  if (action === "cancel" && (job.status === "completed" || job.status === "cancelled")) {
    return "already_ended";
  }
  return null;
};

/** Whether the number of a plan must be repeated: it changes several jobs, or cannot be undone. */
export const needsCount = (action: PlanContent["action"], count: number): boolean =>
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

/** The jobs that a plan has counted. */
interface Planned {
  readonly action: PlanAction;
  readonly conditions: readonly JobCondition[];
  readonly ordinalMax: number;
}

/** Jobs in one statement. */
const stepSize = 500;

/** The jobs, sequences or trees of a plan, in steps, oldest first. */
export async function* unitsOf(
  state: AnyStateAdapter,
  { action, conditions, ordinalMax }: Planned,
  settings: PlanSettings,
  now: Date,
): AsyncGenerator<FoundUnits> {
  const seen = new Set<string>();
  let afterOrdinal: number | null = null;
  do {
    const page = { conditions, order: "asc", limit: stepSize, afterOrdinal, ordinalMax } as const;
    const examineMax = settings.examineStep;
    const found = await search(state, { ...page, examineMax }, settings, now);
    const units = new Set<string>();
    const refused: RefusedJob[] = [];
    for (const job of found.jobs) {
      const reason = whyNot(action, job);
      const unit = unitOf(action, job);
      if (reason !== null) refused.push({ id: job.id, reason });
      else if (!seen.has(unit)) units.add(unit);
    }
    for (const unit of units) seen.add(unit);
    yield { units: [...units], refused };
    afterOrdinal = found.examinedTo;
  } while (afterOrdinal !== null);
}

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
