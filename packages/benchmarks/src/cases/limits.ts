// A drain under limits, after the same drain without them: the ratio is of one process on one store, in one round.
import type { LimitedWorkload } from "../participants/participant.ts";
import type { Round, RoundResult } from "./case.ts";
import { measureDrain } from "./drain.ts";

export const measureLimited = async (
  round: Round,
  workload: LimitedWorkload,
): Promise<RoundResult> => {
  const { drainJobs: jobCount, limitMs } = round.sizes;
  const free = await measureDrain(round, { workload: "value", jobCount, limitMs });
  const { measured, breakdown } = await measureDrain(round, { workload, jobCount, limitMs });
  const rate = measured["jobs/s"] ?? Number.NaN;
  const ratio = rate / (free.measured["jobs/s"] ?? Number.NaN);
  return { measured: { "jobs/s": rate, "of no limit": ratio }, ...(breakdown && { breakdown }) };
};
