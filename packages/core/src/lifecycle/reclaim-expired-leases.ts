// ↺ of the walk, lost: a worker has vanished, and its jobs are due again. An acquisition reclaims expired leases of its
// types by itself; this is for workers that are too busy to acquire.
import type { StateJobReference } from "../model/state-job.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { toReference } from "../model/job.ts";

/** Reclaims in batches until none is left. */
export const reclaimExpiredLeases = async (engine: Engine, workerId: string): Promise<void> => {
  for (;;) {
    const reclaimed = await engine.state.reclaimExpiredLeases({ limit: limits.reclaimBatchMax });
    const effects = engine.effects.create();
    for (const job of reclaimed) {
      effects.jobScheduled(job.typeName);
      effects.ownershipLost(job.id);
      effects.emit("jobReaped", () => ({ ...toReference(job), leasedBy: job.leasedBy, workerId }));
    }
    effects.flush();
    if (reclaimed.length < limits.reclaimBatchMax) return;
  }
};

/** An acquisition has reclaimed an expired lease: its last holder is notified. */
export const reportTakenOver = (
  engine: Engine,
  job: StateJobReference,
  leasedBy: string,
  workerId: string,
): void => {
  engine.notifier.ownershipLost([job.id]);
  engine.observer.emit("jobReaped", () => ({ ...toReference(job), leasedBy, workerId }));
};
