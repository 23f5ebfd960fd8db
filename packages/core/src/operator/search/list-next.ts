// The due jobs of one type in the order of acquisition. It has one page, because jobs leave it at its head.
import { defaults, limits } from "../../defaults.ts";
import { InvalidOptionError } from "../../errors.ts";
import { assertKnownOptions } from "../../model/assert-known-options.ts";
import { assertInteger } from "../../model/assert-option.ts";
import type { StateJob } from "../../model/state-job.ts";
import { type ParsedFilter, parseFilter } from "../filter/parse-filter.ts";
import { keptEvidence, type OperatorCore, readNow } from "../operator-core.ts";
import type { JobsPage, SearchJobsOptions } from "../read-types.ts";
import { headLength, toJobView } from "../views/job-view.ts";

const optionNames = ["filter", "order", "limit", "cursor", "payloads", "wholePayloads"];

export const listNext = async (core: OperatorCore, given: SearchJobsOptions): Promise<JobsPage> => {
  assertKnownOptions(given, optionNames);
  const { filter: text = "", payloads, wholePayloads = false } = given;
  const { limit = defaults.listLimit, cursor = null } = given;
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  if (cursor !== null) {
    throw new InvalidOptionError("cursor", cursor, 'leave it out: the order "next" has one page');
  }
  const viewer = core.viewer(payloads);
  return core.slots.run(async () => {
    const now = await readNow(core);
    const filter = parseFilter(text, now);
    const { jobs, isCut } = await findNext(core, filter, limit);
    const evidence = { ...(await keptEvidence(core)), now };
    const lengthMax = wholePayloads ? limits.payloadBytesMax : headLength;
    return {
      at: now,
      items: jobs.map((job) => toJobView(job, evidence, viewer, lengthMax)),
      ...{ nextCursor: null, examined: jobs.length, examinedTo: null, isCut, filter },
    };
  });
};

/** Pending jobs that are looked at. */
const examineMax = 10_000;

/** The first due jobs of the type that the filter names. `isCut`: more may be due. */
const findNext = async (
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
