// The jobs that a plan is about.
import type { JobCondition } from "../../adapters/job-condition.ts";
import { InvalidOptionError } from "../../errors.ts";
import { assertElementCount, assertName } from "../../model/assert-option.ts";
import { type ParsedFilter, parseFilter } from "../filter/parse-filter.ts";
import { InvalidFilterError } from "../operator-errors.ts";
import { assertSearchable, type Viewer } from "../search/search.ts";
import { conditionsOf } from "./actions.ts";
import type { PlanAction } from "./plan-token.ts";

interface TargetOptions {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: string | undefined;
}

const idsMax = 1_000;

/** Named jobs, or a filter. */
export interface Target {
  readonly ids: readonly string[] | null;
  readonly filter: ParsedFilter | null;
}

/** Reads the target of a plan. */
export const readTarget = ({ ids, filter }: TargetOptions, viewer: Viewer, now: Date): Target => {
  if ((ids === undefined) === (filter === undefined)) {
    throw new InvalidOptionError("ids", ids, "give either `ids` or `filter`");
  }
  if (ids !== undefined) return { ids: readIds(ids), filter: null };
  const parsed = parseFilter(filter ?? "", now);
  assertNotEmpty(parsed);
  assertSearchable(parsed, viewer);
  return { ids: null, filter: parsed };
};

const readIds = (ids: readonly string[]): readonly string[] => {
  if (!Array.isArray(ids) || ids.length === 0) {
    throw new InvalidOptionError("ids", ids, "give an array with at least one id");
  }
  assertElementCount(ids, "ids");
  if (ids.length > idsMax) {
    throw new InvalidOptionError("ids", ids, `give at most ${idsMax} ids, or a filter`);
  }
  for (const id of ids) assertName(id, "ids");
  return [...new Set(ids)];
};

/** An empty filter would mean every job of the store. */
const assertNotEmpty = ({ text, terms }: ParsedFilter): void => {
  if (terms.length > 0) return;
  throw new InvalidFilterError({
    filter: text,
    position: 0,
    length: 0,
    problem: "is empty",
    remedy:
      "give at least one term, such as `status:failed`; an empty filter does not mean all jobs",
  });
};

/** The conditions of a plan, in which later jobs have no part. */
export const planConditions = (
  action: PlanAction,
  ids: readonly string[] | null,
  filter: ParsedFilter | null,
): readonly JobCondition[] => {
  if (ids !== null) return [{ field: "id", anyOf: ids, negated: false }];
  const given = filter?.terms.map(({ condition }) => condition) ?? [];
  return [...conditionsOf(action, given), ...given];
};
