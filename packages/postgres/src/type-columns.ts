// The types of a worker, as columns of array arguments. From one acquisition to the next only their limits change, and in an
// idle worker not even those, so the texts are kept.
import { column } from "./database.ts";
import type { PgState } from "./state/pg-state.ts";

type Types = Parameters<PgState["acquireJobs"]>[0]["types"];

type TypeColumns = Readonly<Record<"types" | "lease_ms" | "limits", string>>;

export const createTypeColumns = (): ((types: Types) => TypeColumns) => {
  let last: { readonly types: Types; readonly columns: TypeColumns } | undefined;
  return (types) => {
    if (last === undefined || !areSame(last.types, types)) {
      const columns = {
        types: column(types, (type) => type.typeName),
        lease_ms: column(types, (type) => type.leaseMs),
        limits: column(types, (type) => type.limit),
      };
      // A copy: the list is the caller's.
      last = { types: types.map((type) => ({ ...type })), columns };
    }
    return last.columns;
  };
};

const areSame = (some: Types, others: Types): boolean =>
  some.length === others.length &&
  some.every((one, index) => {
    const other = others[index];
    return (
      one.typeName === other?.typeName && one.leaseMs === other.leaseMs && one.limit === other.limit
    );
  });
