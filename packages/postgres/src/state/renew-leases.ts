// Step 5 of the walk: running jobs keep their leases, all of a worker's in one statement, without waiting for locks.
import type { LeaseCheck, LeaseLostReason } from "queuert/internal";
import { column } from "../database.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const renewLeases = (db: PgDatabase): PgState["renewLeases"] => {
  const renew = db.routine("renew_leases", ["id[]", "integer[]", "float8[]"]);
  return async ({ leases }) => {
    if (leases.length === 0) return [];
    const rows = await renew([
      db.ids(leases.map(({ jobId }) => jobId)),
      column(leases, ({ leaseVersion }) => leaseVersion),
      column(leases, ({ leaseMs }) => leaseMs),
    ]);
    const reasons = lostReasons(rows);
    return leases.map((_, index): LeaseCheck => {
      const reason = reasons.get(index);
      return reason === undefined ? { kind: "held" } : { kind: "lost", reason };
    });
  };
};

/** Of the rows `lost` among an answer, by the index of the element. */
export const lostReasons = (
  rows: Awaited<ReturnType<ReturnType<PgDatabase["routine"]>>>,
): ReadonlyMap<number, LeaseLostReason> =>
  new Map(
    rows
      .filter((row) => row["kind"] === "lost")
      .map((row) => [Number(row["element"]) - 1, row["detail"] as LeaseLostReason]),
  );
