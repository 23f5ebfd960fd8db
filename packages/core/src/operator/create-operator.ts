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
import { ReadCache, ReadSlots } from "./guest/read-slots.ts";
import { type OperatorCore, readNow } from "./operator-core.ts";
import { PlanRefusedError, ReadOnlyOperatorError } from "./operator-errors.ts";
import type { Operator, OperatorOptions } from "./operator-types.ts";
import type { ActingClient } from "./plans/actions.ts";
import { AppliedPlans, applyPlan, openPlan } from "./plans/apply.ts";
import { makePlan, type PlanSettings } from "./plans/plan.ts";
import { createSecret, type PlanContent } from "./plans/plan-token.ts";
import { type PayloadView, Redaction } from "./redact/redact.ts";
import { createReads } from "./reads.ts";

const operatorDefaults = { planTtlMs: 10 * 60_000, examineStep: 100_000 } as const;
/** Jobs that one plan changes at most. */
const planCountMax = 100_000;
/** Reads at a time: the pool belongs to the application. */
const readsMax = 2;

/** Creates an operator of the jobs in one store. */
export const createOperator = (options: OperatorOptions): Operator => {
  assertOptions(options);
  const { queuert, redact, readOnly = false, examineStep = operatorDefaults.examineStep } = options;
  const { state, clock } = engineOf(queuert);
  const redaction = new Redaction(redact);
  const view = toView(options.payloads, "redacted");
  const core: OperatorCore = {
    state,
    slots: new ReadSlots(readsMax),
    cache: new ReadCache(() => clock.now()),
    examineStep,
    processNow: () => new Date(clock.now()),
    viewer: (given) => ({ view: toView(given, view), redaction }),
  };
  const { plan, apply } = createPlanning(core, options);
  const refuse = (operation: string) => async (): Promise<never> => {
    throw new ReadOnlyOperatorError(operation);
  };
  return {
    ...createReads(core),
    plan: readOnly ? refuse("plan") : plan,
    apply: readOnly ? refuse("apply") : apply,
  };
};

const createPlanning = (
  core: OperatorCore,
  { queuert, secret = createSecret(), onAction, planTtlMs }: OperatorOptions,
): Pick<Operator, "plan" | "apply"> => {
  const { state, slots, cache, examineStep } = core;
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
    plan: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["action", "ids", "filter", "user"]);
      return slots.run(async () => makePlan(state, given, settings, await readNow(core)));
    },

    apply: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["token", "count", "user", "signal", "onProgress"]);
      const plan = openPlan(given, secret, applied);
      await beginOnce(state, plan);
      try {
        const now = await readNow(core);
        const result = await applyPlan({ state, client }, plan, given, settings, now);
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
  "readOnly",
  "secret",
  "planTtlMs",
  "examineStep",
  "onAction",
];

const assertOptions = (options: OperatorOptions): void => {
  assertObject(options, "options");
  assertKnownOptions(options, optionNames);
  const { planTtlMs, secret, onAction, examineStep } = options;
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
