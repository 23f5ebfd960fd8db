// The number of jobs that match a filter, by a bounded look.
import type { JobCondition, StoreCondition } from "../../adapters/job-condition.ts";
import type { JobCount } from "../../adapters/operator-reads.ts";
import { assertKnownOptions } from "../../model/assert-known-options.ts";
import { assertObject } from "../../model/assert-option.ts";
import { type ParsedFilter, parseFilter } from "../filter/parse-filter.ts";
import { type OperatorCore, readNow } from "../operator-core.ts";
import type { CountJobsOptions, CountReport } from "../read-types.ts";
import { assertSearchable, search, type Viewer } from "./search.ts";

/** Counting stops here. */
const countMax = 100_000;

export const countJobs = async (
  core: OperatorCore,
  given: CountJobsOptions,
): Promise<CountReport> => {
  assertObject(given, "options");
  assertKnownOptions(given, ["filter", "payloads"]);
  const viewer = core.viewer(given.payloads);
  return core.slots.run(async () => {
    const now = await readNow(core);
    const filter = parseFilter(given.filter ?? "", now);
    assertSearchable(filter, viewer);
    return { at: now, ...(await count(core, filter, viewer, now)), filter };
  });
};

const count = async (
  { state, examineStep }: OperatorCore,
  filter: ParsedFilter,
  viewer: Viewer,
  now: Date,
): Promise<JobCount> => {
  const conditions = filter.terms.map(({ condition }) => condition);
  const counts = state.operator?.countJobs;
  if (counts !== undefined && conditions.every((each) => isForStore(each, viewer))) {
    const own = conditions as readonly StoreCondition[];
    return counts({ conditions: own, max: countMax, examineMax: examineStep });
  }
  // The others are compared here, and found as a list finds them.
  const page = { order: "desc", limit: 1_000, ordinalMax: null } as const;
  let found = 0;
  let examined = 0;
  let afterOrdinal: number | null = null;
  do {
    const examineMax = examineStep - examined;
    const step = { ...page, conditions, afterOrdinal, examineMax };
    const answer = await search(state, step, viewer, now);
    found += answer.jobs.length;
    examined += Math.max(1, answer.examined);
    afterOrdinal = answer.examinedTo;
  } while (afterOrdinal !== null && found < countMax && examined < examineStep);
  return { count: found, isAtLeast: afterOrdinal !== null };
};

/** A viewer with a right to all payloads lets the store look into them. Windows of creation are narrowed by the search. */
const isForStore = (condition: JobCondition, { view, redactText }: Viewer): boolean => {
  if (condition.field === "contains") return view === "raw" && redactText === undefined;
  if (condition.field === "time") return condition.of !== "createdAt";
  return !["inputAt", "id", "idPrefix"].includes(condition.field);
};
