// The methods for operators: one file each.
import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { beginAction } from "./begin-action.ts";
import { finishAction } from "./finish-action.ts";
import { listActions } from "./list-actions.ts";
import { beat } from "./beat.ts";
import { countAhead } from "./count-ahead.ts";
import { examineJobs } from "./examine-jobs.ts";
import { expireLeases } from "./expire-leases.ts";
import { listWorkers } from "./list-workers.ts";
import { readClock } from "./read-clock.ts";

export const createPgOperator = (db: PgDatabase): OperatorStore => ({
  readClock: readClock(db),
  examineJobs: examineJobs(db),
  countAhead: countAhead(db),
  beat: beat(db),
  listWorkers: listWorkers(db),
  beginAction: beginAction(db),
  finishAction: finishAction(db),
  listActions: listActions(db),
  expireLeases: expireLeases(db),
});
