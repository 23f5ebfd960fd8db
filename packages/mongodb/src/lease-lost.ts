import type { LeaseLostReason } from "queuert/internal";
import type { JobDocument } from "./job-document.ts";

/** Why a write that named a lease has changed nothing, from the job as it is. */
export const toLeaseLostReason = (
  document: Pick<JobDocument, "status"> | undefined,
): LeaseLostReason => {
  if (document === undefined) return "not_found";
  const isFinished = document.status === "completed" || document.status === "failed";
  return isFinished ? "already_completed" : "taken_by_another_worker";
};
