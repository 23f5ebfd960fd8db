// Applying a plan: in small steps, never more jobs than the plan counted. The store checks each job again when it writes.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { assertInteger } from "../../model/assert-option.ts";
import { type ParsedFilter, parseFilter } from "../filter/parse-filter.ts";
import { PlanRefusedError } from "../operator-errors.ts";
import { search } from "../search/search.ts";
import { type ActingClient, needsCount, type RefusedJob, runAction, unitOf } from "./actions.ts";
import type { PlanSettings } from "./plan.ts";
import { decodeToken, type PlanContent } from "./plan-token.ts";
import { planConditions } from "./target.ts";

export interface ApplyOptions {
  /** That of the plan. */
  readonly token: string;
  /** The number of the plan. Left out only for one job that is not deleted. */
  readonly count?: number | undefined;
  /** The user that made the plan. Left out for a plan without a user. */
  readonly user?: string | undefined;
  /** Stops between two steps. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each step. Default: none. */
  readonly onProgress?: ((progress: ApplyProgress) => void) | undefined;
}

export interface ApplyProgress {
  readonly done: number;
  readonly refused: number;
  /** That of the plan. */
  readonly total: number;
}

export interface ApplyResult extends ApplyProgress {
  readonly action: PlanContent["action"];
  /** The first 1,000 of them. */
  readonly refusedJobs: readonly RefusedJob[];
  /** Stopped by the signal. */
  readonly isStopped: boolean;
}

/** Jobs in one statement. */
const stepSize = 500;
const refusedMax = 1_000;

/** Checks a token. Each plan is applied once. */
export const openPlan = (
  { token, count, user }: ApplyOptions,
  secret: string,
  applied: AppliedPlans,
): PlanContent => {
  const plan = decodeToken(token, secret);
  if (plan.expiresAt <= Date.now()) throw new PlanRefusedError("expired");
  if (plan.user !== (user ?? null)) throw new PlanRefusedError("other_user");
  if (count !== undefined) assertInteger(count, "count", { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (count === undefined ? needsCount(plan.action, plan.count) : count !== plan.count) {
    throw new PlanRefusedError("count_differs");
  }
  applied.add(plan);
  return plan;
};

/** The plans of this process that were applied, until they expire. */
export class AppliedPlans {
  readonly #expiresAt = new Map<string, number>();

  /** Refuses a plan that was added before. */
  add({ nonce, expiresAt }: PlanContent): void {
    for (const [known, until] of this.#expiresAt) {
      if (until <= Date.now()) this.#expiresAt.delete(known);
    }
    if (this.#expiresAt.has(nonce)) throw new PlanRefusedError("applied_before");
    this.#expiresAt.set(nonce, expiresAt);
  }
}

/** Applies an opened plan. */
export const applyPlan = async (
  { state, client }: { readonly state: AnyStateAdapter; readonly client: ActingClient },
  plan: PlanContent,
  { signal, onProgress }: Pick<ApplyOptions, "signal" | "onProgress">,
  settings: PlanSettings,
  now: Date,
): Promise<ApplyResult> => {
  const refusedJobs: RefusedJob[] = [];
  let done = 0;
  let refused = 0;
  const progress = (): ApplyProgress => ({ done, refused, total: plan.count });
  const isStopped = (): boolean => signal?.aborted === true;
  for await (const ids of unitsOf(state, plan, settings, now)) {
    if (isStopped()) break;
    const step = ids.slice(0, plan.count - done);
    const result = await runAction(client, plan.action, step);
    done += result.done;
    refused += result.refused.length;
    refusedJobs.push(...result.refused.slice(0, refusedMax - refusedJobs.length));
    onProgress?.(progress());
    if (done >= plan.count) break;
  }
  return { ...progress(), action: plan.action, refusedJobs, isStopped: isStopped() };
};

/** The jobs or trees of a plan, in steps, oldest first. */
async function* unitsOf(
  state: AnyStateAdapter,
  { action, ids, filter, ordinalMax }: PlanContent,
  settings: PlanSettings,
  now: Date,
): AsyncGenerator<readonly string[]> {
  const parsed: ParsedFilter | null = filter === null ? null : parseFilter(filter, now);
  const conditions = planConditions(action, ids, parsed);
  const seen = new Set<string>();
  let afterOrdinal: number | null = null;
  do {
    const page = { conditions, order: "asc", limit: stepSize, afterOrdinal, ordinalMax } as const;
    const examineMax = settings.examineStep;
    const found = await search(state, { ...page, examineMax }, settings, now);
    const units = found.jobs.map((job) => unitOf(action, job)).filter((unit) => !seen.has(unit));
    for (const unit of units) seen.add(unit);
    if (units.length > 0) yield [...new Set(units)];
    afterOrdinal = found.examinedTo;
  } while (afterOrdinal !== null);
}
