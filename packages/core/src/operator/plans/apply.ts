// Applying a plan: in small steps, never more jobs than the plan counted. The store checks each job again when it writes.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { Engine } from "../../engine.ts";
import { assertInteger } from "../../model/assert-option.ts";
import { parseFilter } from "../filter/parse-filter.ts";
import { PlanRefusedError } from "../operator-errors.ts";
import {
  type ActingClient,
  type ActionResult,
  type FoundUnits,
  needsCount,
  type RefusedJob,
  runAction,
  unitsOf,
} from "./actions.ts";
import { Pace } from "./pace.ts";
import type { PlanSettings } from "./plan.ts";
import { openInstants, runBackfill } from "./plan-backfill.ts";
import { decodeToken, type PlanContent } from "./plan-token.ts";
import { planConditions } from "./target.ts";

/** The options of `apply`: the token of a plan, and its number repeated. */
export interface ApplyOptions {
  /** That of the plan. */
  readonly token: string;
  /** The number of the plan. Left out only for one job that is not deleted. */
  readonly count?: number | undefined;
  /** The user that made the plan. Left out for a plan without a user. */
  readonly user?: string | undefined;
  /** Changes at most so many jobs, sequences or trees a minute, so that workers and other systems keep up. Default: at once. */
  readonly pacePerMinute?: number | undefined;
  /** Stops between two steps. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each step. Default: none. */
  readonly onProgress?: ((progress: ApplyProgress) => void) | undefined;
}

/** How far an `apply` has come. */
export interface ApplyProgress {
  readonly done: number;
  readonly refused: number;
  /** That of the plan. */
  readonly total: number;
}

/** The result of `apply`. */
export interface ApplyResult extends ApplyProgress {
  readonly action: PlanContent["action"];
  /** The first 1,000 of them. */
  readonly refusedJobs: readonly RefusedJob[];
  /** Stopped by the signal. */
  readonly isStopped: boolean;
}

/** The largest pace that can be given. */
const paceMax = 1_000_000;
const refusedMax = 1_000;

/** The plan of a token that this operator made, and that has not expired. */
export const readPlan = (token: unknown, secret: string): PlanContent => {
  const plan = decodeToken(token, secret);
  if (plan.expiresAt <= Date.now()) throw new PlanRefusedError("expired");
  return plan;
};

/** Checks a token. Each plan is applied once. */
export const openPlan = (
  { token, count, user, pacePerMinute }: ApplyOptions,
  secret: string,
  applied: AppliedPlans,
): PlanContent => {
  const plan = readPlan(token, secret);
  if (plan.user !== (user ?? null)) throw new PlanRefusedError("other_user");
  if (count !== undefined) assertInteger(count, "count", { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (count === undefined ? needsCount(plan.action, plan.count) : count !== plan.count) {
    throw new PlanRefusedError("count_differs");
  }
  if (pacePerMinute !== undefined) {
    assertInteger(pacePerMinute, "pacePerMinute", { min: 1, max: paceMax });
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

interface Applying {
  readonly engine: Engine;
  /** Its reads are those of an operator. */
  readonly state: AnyStateAdapter;
  readonly client: ActingClient;
}

/** Applies an opened plan. */
export const applyPlan = async (
  parts: Applying,
  plan: PlanContent,
  {
    signal,
    onProgress,
    pacePerMinute,
  }: Pick<ApplyOptions, "signal" | "onProgress" | "pacePerMinute">,
  settings: PlanSettings,
  now: Date,
): Promise<ApplyResult> => {
  const refusedJobs: RefusedJob[] = [];
  let done = 0;
  let refused = 0;
  const progress = (): ApplyProgress => ({ done, refused, total: plan.count });
  const isStopped = (): boolean => signal?.aborted === true;
  const refuse = (jobs: readonly RefusedJob[]): void => {
    refused += jobs.length;
    refusedJobs.push(...jobs.slice(0, refusedMax - refusedJobs.length));
  };
  const pace = new Pace(pacePerMinute, parts.engine.clock, signal);
  if (plan.action !== "backfill" && plan.ids !== null) {
    refuse(await missingOf(parts.state, plan.ids));
  }
  const { found: steps, run } = workOf(parts, plan, settings, now);
  for await (const found of steps) {
    refuse(found.refused);
    for (const step of pace.steps(found.units, () => plan.count - done)) {
      await pace.turn();
      if (isStopped()) break;
      const result = await run(step);
      pace.changed(result.done);
      done += result.done;
      refuse(result.refused);
      onProgress?.(progress());
    }
    if (isStopped() || done >= plan.count) break;
  }
  return { ...progress(), action: plan.action, refusedJobs, isStopped: isStopped() };
};

/** The named jobs that were deleted since: the search below does not find them. */
const missingOf = async (
  state: AnyStateAdapter,
  ids: readonly string[],
): Promise<readonly RefusedJob[]> => {
  const jobs = await state.getJobs({ ids });
  return ids
    .filter((_, index) => jobs[index] === undefined)
    .map((id) => ({ id, reason: "not_found" }));
};

interface Work {
  /** In steps. */
  readonly found: AsyncIterable<FoundUnits>;
  readonly run: (units: readonly string[]) => Promise<ActionResult>;
}

const workOf = (
  { engine, state, client }: Applying,
  plan: PlanContent,
  settings: PlanSettings,
  now: Date,
): Work => {
  if (plan.action === "backfill") {
    const { backfill } = plan;
    return {
      found: openInstants(engine, backfill, now),
      run: (instants) => runBackfill(engine, backfill, instants),
    };
  }
  const { action, ids, filter, ordinalMax } = plan;
  const parsed = filter === null ? null : parseFilter(filter, now);
  const planned = { action, conditions: planConditions(action, ids, parsed), ordinalMax };
  return {
    found: unitsOf(state, planned, settings, now),
    run: (ids) => runAction(client, action, ids),
  };
};
