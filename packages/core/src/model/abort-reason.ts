/** Why the signal of a process function was aborted. */
export type JobAbortReason =
  | "taken_by_another_worker"
  | "error"
  | "not_found"
  | "already_completed"
  | "cancelled"
  | "lease_expired"
  | "timeout"
  | "shutdown";
