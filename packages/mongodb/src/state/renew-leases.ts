// Step 5 of the walk: the leases of running jobs are renewed. The result is read from the jobs afterwards. A
// lease that could not be renewed because its holder's transaction has locked the document is still held.
import type { LeaseCheck, RenewLeasesParams, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { afterNow, clampMs, heldUnder, valueById } from "../expressions.ts";
import { toLeaseLostReason } from "../job-document.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";

type RenewLeases = StateAdapter<object, object, string>["renewLeases"];
type Lease = RenewLeasesParams["leases"][number];

export const renewLeases =
  (db: Database): RenewLeases =>
  async ({ leases }) => {
    if (leases.length === 0) return [];
    const sorted = [...leases].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
    await skipLocked(db, sorted, (scope, some, options) =>
      db.jobs.updateMany(
        scope,
        heldUnder(some),
        [{ $set: { leasedUntil: untilOf(some) } }],
        options,
      ),
    );
    const found = await db.jobs.find(
      outside,
      { _id: { $in: leases.map(({ jobId }) => jobId) } },
      { projection: { status: 1, leaseVersion: 1 } },
    );
    const byId = new Map(found.map((document) => [document._id, document]));
    return leases.map(({ jobId, leaseVersion }): LeaseCheck => {
      const job = byId.get(jobId);
      const isHeld = job?.status === "running" && job.leaseVersion === leaseVersion;
      return isHeld ? { kind: "held" } : { kind: "lost", reason: toLeaseLostReason(job) };
    });
  };

const untilOf = (leases: readonly Lease[]): object => {
  const ids = leases.map(({ jobId }) => jobId);
  const durations = leases.map(({ leaseMs }) => leaseMs);
  const isUniform = durations.every((leaseMs) => leaseMs === durations[0]);
  return isUniform
    ? afterNow(durations[0] ?? 0)
    : { $add: ["$$NOW", valueById(ids, durations.map(clampMs))] };
};
