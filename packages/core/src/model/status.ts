// The statuses of a job, and the legal moves between them. Every statement that changes a status
// checks its move in its own WHERE clause. Those clauses are reviewed against this table.
//
// The last blocker completes; with `onBlockerFailure: "continue"` any end of it will do.
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
//
//   blocked, pending, running ──▶ cancelled, by cancelSequences. It is final.

/** The state of a job. Completed, failed and cancelled jobs are finished. */
export type JobStatus = "blocked" | "pending" | "running" | "completed" | "failed" | "cancelled";

/** All statuses, in the order of a job's life. */
export const jobStatuses: readonly JobStatus[] = [
  "blocked",
  "pending",
  "running",
  "completed",
  "failed",
  "cancelled",
];

/** The statuses a job may move to from each status. A job in `completed` or `cancelled` stays there. */
export const legalMoves: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  blocked: ["pending", "completed", "failed", "cancelled"],
  pending: ["running", "completed", "failed", "cancelled"],
  running: ["pending", "completed", "failed", "cancelled"],
  completed: [],
  failed: ["pending", "blocked"],
  cancelled: [],
};

/** Whether nothing will happen to the job any more by itself. */
export const isFinished = (status: JobStatus): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";
