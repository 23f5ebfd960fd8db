import type { JobDetail, Operator, PayloadView } from "queuert/operator";
import { CliNotFoundError, CliUsageError } from "../errors.ts";

/** The job with this id, or the only one whose id begins so. */
export const findJob = async (
  operator: Operator,
  id: string,
  payloads: PayloadView,
): Promise<JobDetail> => {
  const whole = await operator.getJob({ id, payloads }).catch((error: unknown) => {
    // PostgreSQL refuses a text that is not a whole id.
    const { code } = error as { readonly code?: unknown };
    if (code === "QUEUERT_PG_INVALID_JOB_ID") return undefined;
    throw error;
  });
  if (whole !== undefined) return whole;
  const { items } = await operator.listJobs({ filter: `id:${quoted(id)}`, limit: 2 });
  const [only, second] = items;
  if (only === undefined) {
    throw new CliNotFoundError(
      `No job has the id ${id}: it was deleted, is in another store, or was never committed.`,
    );
  }
  if (second !== undefined) {
    throw new CliUsageError(`Several ids begin with ${id}: give more of it.`);
  }
  const found = await operator.getJob({ id: only.id, payloads });
  if (found === undefined) throw new CliNotFoundError(`No job has the id ${id} any more.`);
  return found;
};

/** In quotes a value would be a whole id. */
const quoted = (id: string): string => {
  if (/^[\w-]+$/.test(id)) return id;
  throw new CliNotFoundError(`No job has the id ${id}.`);
};
