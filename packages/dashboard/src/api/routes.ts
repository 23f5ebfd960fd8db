// The table of the API. A new route is one row, and one file beside this one.
import { act, rightOfAct } from "./act.ts";
import { actions } from "./actions.ts";
import { apply, rightOfToken, stop } from "./apply.ts";
import { backfillPreview } from "./backfill.ts";
import { explain } from "./explain.ts";
import { failures } from "./failures.ts";
import { job } from "./job.ts";
import { jobs } from "./jobs.ts";
import { limitKeys } from "./limit-keys.ts";
import { live } from "./live.ts";
import { logs } from "./logs.ts";
import { metrics } from "./metrics.ts";
import { metricsProm } from "./metrics-prom.ts";
import { overview } from "./overview.ts";
import { payload } from "./payload.ts";
import { plans, rightOfPlan } from "./plans.ts";
import type { Route } from "./route.ts";
import { schedule, schedulePreview } from "./schedule.ts";
import { schedules } from "./schedules.ts";
import { sequences } from "./sequences.ts";
import { session } from "./session.ts";
import { suggest } from "./suggest.ts";
import { tree } from "./tree.ts";
import { type } from "./type.ts";
import { workers } from "./workers.ts";

const get = (path: string, names: readonly string[], answer: Route["answer"]): Route => ({
  method: "GET",
  path,
  names,
  right: "read",
  answer,
});

const search = (path: string, names: readonly string[], answer: Route["answer"]): Route => ({
  ...get(path, names, answer),
  isSearch: true,
});

const post = (
  path: string,
  names: readonly string[],
  right: Route["right"],
  answer: Route["answer"],
): Route => ({ method: "POST", path, names, right, answer });

const actNames = [
  ...["action", "id", "typeName", "limitName", "key", "name", "forMs", "note"],
  ...["cron", "timeZone", "everyMs", "overlap"],
];

const planNames = ["action", "ids", "filter", "name", "from", "to", "overlap"];

export const routes: readonly Route[] = [
  { ...get("session", [], session), isOwn: true },
  { ...get("live", ["sequence"], live), isOwn: true },
  { ...get("metrics.prom", [], metricsProm), isOwn: true },
  get("overview", [], overview),
  search("jobs", ["q", "order", "limit", "cursor"], jobs),
  search("sequences", ["q", "roots", "order", "limit", "cursor"], sequences),
  get("job", ["id"], job),
  get("payload", ["id", "field", "offset"], payload),
  { ...get("logs", ["id", "cursor"], logs), right: "logs" },
  get("explain", ["id"], explain),
  get("tree", ["sequence", "limit"], tree),
  search("failures", ["q"], failures),
  search("type", ["name"], type),
  get("metrics", ["type", "range"], metrics),
  get("workers", [], workers),
  get("schedules", ["limit", "cursor"], schedules),
  get("schedule", ["name"], schedule),
  get("schedule-preview", ["cron", "timeZone", "everyMs"], schedulePreview),
  get("backfill-preview", ["name", "from", "to"], backfillPreview),
  search("limit-keys", ["limitName", "fromKey", "limit"], limitKeys),
  get("suggest", ["field", "prefix"], suggest),
  get("actions", ["limit"], actions),
  { ...post("plans", planNames, rightOfPlan, plans), isSearch: true },
  post("apply", ["token", "count", "pacePerMinute"], rightOfToken, apply),
  post("stop", ["token"], rightOfToken, stop),
  post("act", actNames, rightOfAct, act),
];
