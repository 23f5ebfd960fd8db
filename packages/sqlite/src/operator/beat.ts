// The report of a process's workers: an upsert for each, and the removal of old ones, in one transaction.
import { lateFactor, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const beat = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["beat"]> => {
  const { worker } = database.names;
  const upsert = `
INSERT INTO ${worker} (instance_id, worker_id, host, pid, machine, process_start, state, types, concurrency, busy, beat_ms,
  library_version, started_at, beat_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (instance_id) DO UPDATE SET worker_id = excluded.worker_id, host = excluded.host, pid = excluded.pid,
  machine = excluded.machine, process_start = excluded.process_start, state = excluded.state, types = excluded.types,
  concurrency = excluded.concurrency, busy = excluded.busy, beat_ms = excluded.beat_ms,
  library_version = excluded.library_version, beat_at = excluded.beat_at`;
  const forget = `DELETE FROM ${worker} WHERE beat_at < ?`;
  const count = `
SELECT count(DISTINCT json_array(host, machine, pid, process_start)) FROM ${worker}
WHERE state <> 'stopped' AND ? - beat_at < beat_ms * ${lateFactor}`;

  return ({ process, workers, forgetAfterMs }) =>
    database.write("beat", undefined, (session) => {
      const now = session.now();
      const { host, pid, machine, processStart } = process;
      for (const each of workers) {
        session.run(
          upsert,
          ...[each.instanceId, each.workerId, host, pid, machine, processStart],
          ...[each.state, JSON.stringify(each.types), each.concurrency, each.busy],
          ...[Math.round(each.beatMs), each.libraryVersion, now, now],
        );
      }
      session.run(forget, Math.floor(now - forgetAfterMs));
      return { processCount: session.get<[number]>(count, now)?.[0] ?? 0 };
    });
};
