// What a job can be, and which moves are legal. Every statement that changes a status re-checks the
// move it makes in its own WHERE clause; this table is what those clauses are reviewed against.
//
//             ┌─────────┐ last blocker completes ┌─────────┐  acquired   ┌─────────┐
//   created ─▶│ blocked │───────────────────────▶│ pending │────────────▶│ running │
//             └────┬────┘                        └──┬───▲──┘             └─┬─┬─┬───┘
//                  │                                │   │ retry, reschedule │ │ │
//                  │                                │   │ hand back, reclaim│ │ │
//                  │                                │   └───────────────────┘ │ │
//                  │      completed without a worker│                         │ │
//                  ├────────────────────────────────┼────────▶ completed ◀────┘ │
//                  │ blocker failed                 │                           │
//                  └────────▶ failed ◀──────────────┴───────────────────────────┘
//                               │ attempts used up, unrecoverable
//                               └──▶ pending or blocked, by retryFailedJobs

export type JobStatus = "blocked" | "pending" | "running" | "completed" | "failed";

export const jobStatuses: readonly JobStatus[] = [
  "blocked",
  "pending",
  "running",
  "completed",
  "failed",
];

/** The statuses a job may move to from each status. A job in `completed` stays there. */
export const legalMoves: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  blocked: ["pending", "completed", "failed"],
  pending: ["running", "completed", "failed"],
  running: ["pending", "completed", "failed"],
  completed: [],
  failed: ["pending", "blocked"],
};

/** Whether nothing will happen to the job any more by itself. */
export const isFinished = (status: JobStatus): boolean =>
  status === "completed" || status === "failed";
