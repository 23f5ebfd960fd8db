// The operator: search, explain, plans and views over one client. The dashboard, the command line and agents are thin layers on
// it, so that they have the same words, limits and refusals.
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { engineOf } from "../client-engine.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import {
  assertFunction,
  assertInteger,
  assertName,
  assertObject,
  assertPositiveMs,
} from "../model/assert-option.ts";
import { control, type ControllingClient } from "./controls.ts";
import { ReadCache, ReadSlots } from "./guest/read-slots.ts";
import { withLimitedReads } from "./guest/limited-reads.ts";
import { inWordsOf, withTimeLimit } from "./guest/time-limit.ts";
import { type OperatorCore, readNow } from "./operator-core.ts";
import { PlanRefusedError, ReadOnlyOperatorError } from "./operator-errors.ts";
import type { Operator, OperatorOptions } from "./operator-types.ts";
import type { ActingClient } from "./plans/actions.ts";
import { AppliedPlans, applyPlan, openPlan, readPlan } from "./plans/apply.ts";
import { makePlan, type PlanSettings } from "./plans/plan.ts";
import { planBackfill as makeBackfillPlan } from "./plans/plan-backfill.ts";
import { createSecret, type PlanContent } from "./plans/plan-token.ts";
import { type PayloadView, Redaction } from "./redact/redact.ts";
import { withRedactedErrors } from "./redact/redact-errors.ts";
import { createLimitKeyReads } from "./limit-key-reads.ts";
import { getMetrics } from "./get-metrics.ts";
import { createReads } from "./reads.ts";
import { countJobs } from "./search/count-jobs.ts";
import { listDependants } from "./search/list-dependants.ts";
import { createScheduleReads } from "./schedule-reads.ts";
import { listSequences } from "./search/list-sequences.ts";

const operatorDefaults = {
  planTtlMs: 10 * 60_000,
  examineStep: 100_000,
  queryTimeoutMs: 5_000,
} as const;
/** Jobs that one plan changes at most. */
const planCountMax = 100_000;
/** Reads at a time: the pool belongs to the application. */
const readsMax = 2;

/**
 * Creates an operator of the jobs in one store.
 *
 * @example
 * ```ts
 * const operator = createOperator({ queuert });
 * const plan = await operator.plan({ action: "retry", filter: 'type:report error:"declined"' });
 * if (plan.count > 0) await operator.apply({ token: plan.token, count: plan.count });
 * ```
 */
export const createOperator = (options: OperatorOptions): Operator => {
  assertOptions(options);
  const { queuert, redact, readOnly = false, examineStep = operatorDefaults.examineStep } = options;
  const engine = engineOf(queuert);
  const { state: stored, clock } = engine;
  const redaction = new Redaction(redact);
  const view = toView(options.payloads, "redacted");
  const redactText = view === "raw" ? undefined : options.redactText;
  const queryTimeoutMs = options.queryTimeoutMs ?? operatorDefaults.queryTimeoutMs;
  const guest = withLimitedReads(stored, queryTimeoutMs);
  const state = redactText === undefined ? guest : withRedactedErrors(guest, redactText);
  const core: OperatorCore = {
    engine,
    state,
    slots: new ReadSlots(readsMax),
    cache: new ReadCache(() => clock.now()),
    examineStep,
    processNow: () => new Date(clock.now()),
    viewer: (given) => ({ view: toView(given, view), redaction, redactText }),
  };
  const { plan, planBackfill, apply, readPlan } = createPlanning(core, options);
  const refuse = (operation: string) => async (): Promise<never> => {
    throw new ReadOnlyOperatorError(operation);
  };
  return {
    ...withTimeLimit(
      {
        ...createReads(core),
        ...createScheduleReads(core, queuert),
        ...createSearches(core),
        ...createLimitKeyReads(core, queuert),
      },
      queryTimeoutMs,
    ),
    readPlan,
    plan: readOnly ? refuse("plan") : (given) => inWordsOf("plan", queryTimeoutMs, plan(given)),
    planBackfill: readOnly
      ? refuse("planBackfill")
      : (given) => inWordsOf("planBackfill", queryTimeoutMs, planBackfill(given)),
    apply: readOnly ? refuse("apply") : apply,
    control: readOnly ? refuse("control") : controls(core, queuert),
  };
};

const createSearches = (
  core: OperatorCore,
): Pick<Operator, "listSequences" | "countJobs" | "listDependants" | "getMetrics"> => ({
  listSequences: async (given = {}) => listSequences(core, given),
  countJobs: async (given = {}) => countJobs(core, given),
  listDependants: async (given) => listDependants(core, given),
  getMetrics: async (given = {}) => getMetrics(core, given),
});

const applyOptionNames = ["token", "count", "user", "pacePerMinute", "signal", "onProgress"];

const createPlanning = (
  core: OperatorCore,
  { queuert, secret = createSecret(), onAction, planTtlMs }: OperatorOptions,
): Pick<Operator, "plan" | "planBackfill" | "apply" | "readPlan"> => {
  const { engine, state, slots, cache, examineStep } = core;
  // The client has the types of its user; actions use its ids only.
  const client = queuert as unknown as ActingClient;
  const applied = new AppliedPlans();
  const settings: PlanSettings = {
    ...core.viewer(undefined),
    secret,
    ttlMs: planTtlMs ?? operatorDefaults.planTtlMs,
    countMax: planCountMax,
    examineStep,
  };
  return {
    readPlan: (token) => readPlan(token, secret),

    plan: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["action", "ids", "filter", "user", "payloads"]);
      const viewed = { ...settings, ...core.viewer(given.payloads) };
      return slots.run(async () => makePlan(state, given, viewed, await readNow(core)));
    },

    planBackfill: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["name", "from", "to", "overlap", "user"]);
      return slots.run(async () => makeBackfillPlan(engine, given, settings, await readNow(core)));
    },

    apply: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, applyOptionNames);
      const plan = openPlan(given, secret, applied);
      await beginOnce(state, plan);
      try {
        const now = await readNow(core);
        const result = await applyPlan({ engine, state, client }, plan, given, settings, now);
        const { action, filter, ids, user, count, nonce: id } = plan;
        const { done, refused } = result;
        await state.operator?.finishAction?.({ id, done, refused });
        onAction?.({ action, filter, ids, user, count, result });
        return result;
      } finally {
        cache.clear();
      }
    },
  };
};

const controls =
  ({ state, cache }: OperatorCore, queuert: object): Operator["control"] =>
  async (options) => {
    try {
      // The client has the types of its user; controls use names only.
      return await control(state, queuert as unknown as ControllingClient, options);
    } finally {
      cache.clear();
    }
  };

/** Operators with one secret in several processes share the store's record of actions: each plan is applied once. */
const beginOnce = async (
  { operator }: AnyStateAdapter,
  { nonce: id, action, filter, user, count }: PlanContent,
): Promise<void> => {
  const isFirst = await operator?.beginAction?.({ id, action, filter, user, count });
  if (isFirst === false) throw new PlanRefusedError("applied_before");
};

const optionNames = [
  "queuert",
  "payloads",
  "redact",
  "redactText",
  "readOnly",
  "secret",
  "planTtlMs",
  "examineStep",
  "queryTimeoutMs",
  "onAction",
];

const assertOptions = (options: OperatorOptions): void => {
  assertObject(options, "options");
  assertKnownOptions(options, optionNames);
  const { planTtlMs, secret, onAction, examineStep, queryTimeoutMs, redactText } = options;
  if (redactText !== undefined) assertFunction(redactText, "redactText");
  if (queryTimeoutMs !== undefined) assertPositiveMs(queryTimeoutMs, "queryTimeoutMs");
  if (planTtlMs !== undefined) assertPositiveMs(planTtlMs, "planTtlMs");
  if (examineStep !== undefined) {
    assertInteger(examineStep, "examineStep", { min: 1, max: 10_000_000 });
  }
  if (secret !== undefined) assertName(secret, "secret", 1_000);
  if (onAction !== undefined) assertFunction(onAction, "onAction");
};

const payloadViews: readonly PayloadView[] = ["masked", "redacted", "raw"];

const toView = (given: unknown, otherwise: PayloadView): PayloadView => {
  if (given === undefined) return otherwise;
  const found = payloadViews.find((each) => each === given);
  if (found !== undefined) return found;
  throw new InvalidOptionError("payloads", given, `give one of ${payloadViews.join(", ")}`);
};
