// `POST act`: one thing at once, without a dialog. It is recorded like an applied plan.
import type { ControlOptions, EditedSchedule } from "queuert/operator";
import type { ActAnswer, ActRequest, Right } from "../api-types.ts";
import { overlaps } from "./plans.ts";
import {
  optionalChoice,
  optionalNumber,
  optionalText,
  requiredChoice,
  requiredText,
} from "./read-input.ts";
import type { Call } from "./route.ts";

const rights: Readonly<Record<ActRequest["action"], Right>> = {
  retry: "retry",
  trigger: "trigger",
  pause: "pause",
  resume: "pause",
  pause_key: "pause",
  resume_key: "pause",
  pause_schedule: "schedule",
  resume_schedule: "schedule",
  trigger_schedule: "schedule",
  edit_schedule: "schedule",
};

const actions = Object.keys(rights) as ActRequest["action"][];

const actionOf = ({ body }: Pick<Call, "body">): ActRequest["action"] =>
  requiredChoice("action", body["action"], actions);

export const rightOfAct = (call: Pick<Call, "body">): Right => rights[actionOf(call)];

export const act = async (call: Call): Promise<ActAnswer> => {
  const action = actionOf(call);
  if (action === "retry" || action === "trigger") return actOnJob(call, action);
  const { isDone } = await call.operator.control(toControl(call, action));
  return { done: isDone, reason: isDone ? null : "nothing_to_do" };
};

const actOnJob = async (
  { operator, grant, body }: Call,
  action: "retry" | "trigger",
): Promise<ActAnswer> => {
  const user = grant.user ?? undefined;
  const plan = await operator.plan({ action, ids: [requiredText("id", body["id"])], user });
  if (plan.count === 0) return { done: false, reason: plan.refused[0]?.reason ?? null };
  const { done, refusedJobs } = await operator.apply({ token: plan.token, count: 1, user });
  return { done: done === 1, reason: refusedJobs[0]?.reason ?? null };
};

type Control = Exclude<ActRequest["action"], "retry" | "trigger">;

const toControl = ({ grant, body }: Call, action: Control): ControlOptions => {
  const user = grant.user ?? undefined;
  const note = optionalText("note", body["note"]);
  switch (action) {
    case "pause": {
      const forMs = optionalNumber("forMs", body["forMs"]);
      return { action, typeName: typeNameOf(body), forMs, note, user };
    }
    case "resume":
      return { action, typeName: typeNameOf(body), user };
    case "pause_key": {
      const forMs = optionalNumber("forMs", body["forMs"]);
      return { action, ...keyOf(body), forMs, note, user };
    }
    case "resume_key":
      return { action, ...keyOf(body), user };
    case "pause_schedule":
      return { action, name: requiredText("name", body["name"]), note, user };
    case "edit_schedule":
      return { action, name: requiredText("name", body["name"]), ...editOf(body), user };
    default:
      return { action, name: requiredText("name", body["name"]), user };
  }
};

const editOf = (body: Call["body"]): Omit<EditedSchedule, "name"> => ({
  cron: optionalText("cron", body["cron"]),
  timeZone: optionalText("timeZone", body["timeZone"]),
  everyMs: optionalNumber("everyMs", body["everyMs"]),
  overlap: optionalChoice("overlap", body["overlap"], overlaps),
});

const keyOf = (body: Call["body"]): { readonly limitName: string; readonly key: string } => ({
  limitName: requiredText("limitName", body["limitName"]),
  key: requiredText("key", body["key"]),
});

/** Null means every type, and has to be written out. */
const typeNameOf = (body: Call["body"]): string | null =>
  body["typeName"] === null ? null : requiredText("typeName", body["typeName"]);
