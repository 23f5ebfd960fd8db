import { acquiredColumns } from "../../acquired-row.ts";
import type { StoreNames } from "../../store-names.ts";
import type { Migration } from "../migration.ts";
import { createRoutineSql, resultColumns, resultTypeSql, type Routine } from "../routine.ts";
import { acquireFewJobs } from "./acquire-few-jobs.ts";
import { acquireJobs } from "./acquire-jobs.ts";
import { addBlockers } from "./add-blockers.ts";
import { completeJobs } from "./complete-jobs.ts";
import { createJobs } from "./create-jobs.ts";
import { deleteFinishedSequences, deleteSequences } from "./delete-sequences.ts";
import { failJobs, failLockedJobs } from "./fail-jobs.ts";
import { reclaimExpiredLeases, renewLeases, rescheduleJobs } from "./leases.ts";
import { lockSequences, retryFailedJobs, triggerJobs } from "./operate.ts";
import { refuseCommit } from "./refuse-commit.ts";
import { tables } from "./tables.ts";

const routines: readonly ((names: StoreNames) => Routine)[] = [
  createJobs,
  failLockedJobs,
  addBlockers,
  acquireJobs,
  acquireFewJobs,
  renewLeases,
  completeJobs,
  rescheduleJobs,
  failJobs,
  reclaimExpiredLeases,
  retryFailedJobs,
  triggerJobs,
  lockSequences,
  deleteSequences,
  deleteFinishedSequences,
  refuseCommit,
];

export const createStore: Migration = {
  name: "0001-create-store",
  statements: (names) => [
    ...tables(names),
    resultTypeSql(names, "job_result", resultColumns),
    resultTypeSql(names, "acquired_job", acquiredColumns),
    ...routines.map((routine) => createRoutineSql(names, routine(names))),
  ],
};
