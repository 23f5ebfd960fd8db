// The methods for operators: one file each.
import type { OperatorStore } from "../../adapters/operator-store.ts";
import type { Database } from "../database.ts";
import { appendLogs } from "./append-logs.ts";
import { beat } from "./beat.ts";
import { beginAction } from "./begin-action.ts";
import { checkHealth } from "./check-health.ts";
import { countAhead } from "./count-ahead.ts";
import { countJobs } from "./count-jobs.ts";
import { examineJobs } from "./examine-jobs.ts";
import { expireLeases } from "./expire-leases.ts";
import { findIds } from "./find-ids.ts";
import { findKeys } from "./find-keys.ts";
import { finishAction } from "./finish-action.ts";
import { listActions } from "./list-actions.ts";
import { listAttempts } from "./list-attempts.ts";
import { listDependants } from "./list-dependants.ts";
import { listLimitKeys } from "./list-limit-keys.ts";
import { listLogs } from "./list-logs.ts";
import { listMetrics } from "./list-metrics.ts";
import { listNext } from "./list-next.ts";
import { listProgress } from "./list-progress.ts";
import { listWorkers } from "./list-workers.ts";
import { readClock } from "./read-clock.ts";
import { recordMetrics } from "./record-metrics.ts";

export const operatorMethods = (database: Database): OperatorStore => ({
  readClock: readClock(database),
  examineJobs: examineJobs(database),
  countJobs: countJobs(database),
  findIds: findIds(database),
  listDependants: listDependants(database),
  checkHealth: checkHealth(database),
  countAhead: countAhead(database),
  listNext: listNext(database),
  findKeys: findKeys(database),
  listAttempts: listAttempts(database),
  appendLogs: appendLogs(database),
  listLogs: listLogs(database),
  listProgress: listProgress(database),
  beat: beat(database),
  listWorkers: listWorkers(database),
  recordMetrics: recordMetrics(database),
  listMetrics: listMetrics(database),
  beginAction: beginAction(database),
  finishAction: finishAction(database),
  listActions: listActions(database),
  listLimitKeys: listLimitKeys(database),
  expireLeases: expireLeases(database),
});
