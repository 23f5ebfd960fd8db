// `POST plans`: counts the jobs of an action, or the instants of a backfill, and lists the refusals. Nothing is written.
import type { PlanAnswer, Right } from "../api-types.ts";
import { rangeOf } from "./backfill.ts";
import { asJson } from "./json.ts";
import { optionalChoice, optionalTexts, optionalText, requiredChoice } from "./read-input.ts";
import type { Call } from "./route.ts";

const planActions = ["retry", "trigger", "cancel", "delete", "backfill"] as const;

type PlannedAction = (typeof planActions)[number];

/** A backfill is a change of a schedule. Every other action is a right of its own. */
export const rightOfAction = (action: PlannedAction): Right =>
  action === "backfill" ? "schedule" : action;

export const rightOfPlan = ({ body }: Pick<Call, "body">): Right =>
  rightOfAction(requiredChoice("action", body["action"], planActions));

export const plans = async (call: Call): Promise<PlanAnswer> => {
  const { operator, grant, payloads, body } = call;
  const user = grant.user ?? undefined;
  const action = requiredChoice("action", body["action"], planActions);
  if (action === "backfill") {
    const overlap = optionalChoice("overlap", body["overlap"], overlaps);
    const range = rangeOf((name) => body[name]);
    return asJson(await operator.planBackfill({ ...range, overlap, user }));
  }
  return asJson(
    await operator.plan({
      action,
      ids: optionalTexts("ids", body["ids"]),
      filter: optionalText("filter", body["filter"]),
      user,
      payloads,
    }),
  );
};

export const overlaps = ["skip", "allow", "bufferOne", "cancelRunning"] as const;
