// The methods for operators: one file each.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { beginAction } from "./begin-action.ts";
import { finishAction } from "./finish-action.ts";
import { listActions } from "./list-actions.ts";
import { beat } from "./beat.ts";
import { countAhead } from "./count-ahead.ts";
import { examineJobs } from "./examine-jobs.ts";
import { expireLeases } from "./expire-leases.ts";
import { listAttempts } from "./list-attempts.ts";
import { listWorkers } from "./list-workers.ts";
import { readClock } from "./read-clock.ts";

export const createSqliteOperator = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): OperatorStore => ({
  readClock: readClock(database),
  examineJobs: examineJobs(database),
  countAhead: countAhead(database),
  listAttempts: listAttempts(database),
  beat: beat(database),
  listWorkers: listWorkers(database),
  beginAction: beginAction(database),
  finishAction: finishAction(database),
  listActions: listActions(database),
  expireLeases: expireLeases(database),
});
