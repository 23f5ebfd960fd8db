// The methods for operators: one file each.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { appendLogs } from "./append-logs.ts";
import { beginAction } from "./begin-action.ts";
import { finishAction } from "./finish-action.ts";
import { listActions } from "./list-actions.ts";
import { beat } from "./beat.ts";
import { checkHealth } from "./check-health.ts";
import { countAhead } from "./count-ahead.ts";
import { findKeys } from "./find-keys.ts";
import { countJobs } from "./count-jobs.ts";
import { findIds } from "./find-ids.ts";
import { listDependants } from "./list-dependants.ts";
import { examineJobs } from "./examine-jobs.ts";
import { expireLeases } from "./expire-leases.ts";
import { listAttempts } from "./list-attempts.ts";
import { listLimitKeys } from "./list-limit-keys.ts";
import { listLogs } from "./list-logs.ts";
import { listMetrics } from "./list-metrics.ts";
import { listNext } from "./list-next.ts";
import { listProgress } from "./list-progress.ts";
import { recordMetrics } from "./record-metrics.ts";
import { listWorkers } from "./list-workers.ts";
import { readClock } from "./read-clock.ts";

export const createMongoOperator = (db: Database): OperatorStore => ({
  readClock: readClock(db),
  examineJobs: examineJobs(db),
  countJobs: countJobs(db),
  findIds: findIds(db),
  listDependants: listDependants(db),
  checkHealth: checkHealth(db),
  countAhead: countAhead(db),
  listNext: listNext(db),
  findKeys: findKeys(db),
  listLimitKeys: listLimitKeys(db),
  listAttempts: listAttempts(db),
  appendLogs: appendLogs(db),
  listLogs: listLogs(db),
  listProgress: listProgress(db),
  beat: beat(db),
  listWorkers: listWorkers(db),
  recordMetrics: recordMetrics(db),
  listMetrics: listMetrics(db),
  beginAction: beginAction(db),
  finishAction: finishAction(db),
  listActions: listActions(db),
  expireLeases: expireLeases(db),
});
