// Of many types, most have no job. One statement finds the others, where a worker of 5,000 types would send thousands.
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** So few are looked at one by one: each look costs less than this statement. */
const fewTypes = 10;

/** Leaves out the types without pending jobs, running jobs and turns. Keeps the order. */
export type TypesWithJobs = <TType extends { readonly typeName: string }>(
  session: Session,
  types: readonly TType[],
) => readonly TType[];

export const createTypesWithJobs = ({ job, limitTurn }: TableNames): TypesWithJobs => {
  const sql = `
SELECT t.key FROM json_each(?) AS t
WHERE EXISTS (SELECT 1 FROM ${job} WHERE status = 'pending' AND limit_key IS NULL AND type_name = t.value)
  OR EXISTS (SELECT 1 FROM ${job} WHERE status = 'running' AND type_name = t.value)
  OR EXISTS (SELECT 1 FROM ${limitTurn} WHERE type_name = t.value)`;
  return (session, types) => {
    if (types.length <= fewTypes) return types;
    const names = JSON.stringify(types.map(({ typeName }) => typeName));
    const found = new Set(session.all<[number]>(sql, names).map(([index]) => Number(index)));
    return types.filter((_, index) => found.has(index));
  };
};
