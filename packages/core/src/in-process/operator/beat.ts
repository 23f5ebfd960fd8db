import { lateFactor } from "../../adapters/operator-store.ts";
import type { Database, InProcessOperatorMethod } from "../database.ts";

export const beat =
  (database: Database): InProcessOperatorMethod<"beat"> =>
  async ({ process, workers, forgetAfterMs }) => {
    const stored = database.workers;
    const now = database.now();
    const beatAt = new Date(now);
    for (const worker of workers) {
      const startedAt = stored.get(worker.instanceId)?.startedAt ?? beatAt;
      stored.set(worker.instanceId, { ...process, ...worker, startedAt, beatAt });
    }
    const alive = new Set<string>();
    for (const [id, worker] of stored) {
      const ageMs = now - worker.beatAt.getTime();
      if (ageMs > forgetAfterMs) stored.delete(id);
      else if (worker.state !== "stopped" && ageMs < worker.beatMs * lateFactor) {
        alive.add(JSON.stringify([worker.host, worker.machine, worker.pid, worker.processStart]));
      }
    }
    return { processCount: alive.size };
  };
