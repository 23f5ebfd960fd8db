// The due jobs of one type in the order of acquisition.
import type { StateJob } from "../../model/state-job.ts";
import { InvalidOptionError } from "../../errors.ts";
import type { ParsedFilter } from "../filter/parse-filter.ts";
import type { OperatorCore } from "../operator-core.ts";

/** Pending jobs that are looked at. */
const examineMax = 10_000;

/** The first due jobs of the type that the filter names. `isCut`: more may be due. */
export const findNext = async (
  { state }: OperatorCore,
  { terms }: ParsedFilter,
  limit: number,
): Promise<{ readonly jobs: readonly StateJob[]; readonly isCut: boolean }> => {
  const [condition, ...others] = terms.map((term) => term.condition);
  const isOfType = condition?.field === "text" && condition.of === "typeName" && !condition.negated;
  const [typeName, ...otherTypes] = isOfType ? condition.anyOf : [];
  if (typeName === undefined || otherTypes.length > 0 || others.length > 0) {
    const remedy =
      "give the filter one term, such as `type:send-mail`: each type has an order of its own";
    throw new InvalidOptionError("order", "next", remedy);
  }
  const list = state.operator?.listNext;
  if (list === undefined) {
    throw new InvalidOptionError(
      "order",
      "next",
      "this store does not tell it; give `asc` or `desc`",
    );
  }
  const { ids, isCut } = await list({ typeName, limit, examineMax });
  const found = await state.getJobs({ ids });
  // One that was acquired meanwhile is not due any more. Those of a former name of the type come in an order of their own.
  const jobs = found.flatMap((job) => (job?.status === "pending" ? [job] : [])).sort(byTurn);
  return { jobs: jobs.slice(0, limit), isCut };
};

/** The order of acquisition. */
const byTurn = (left: StateJob, right: StateJob): number =>
  right.priority - left.priority ||
  left.scheduledAt.getTime() - right.scheduledAt.getTime() ||
  left.ordinal - right.ordinal;
