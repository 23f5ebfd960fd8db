import type { OperatorStore, StoredWorker, WorkerBeat, WorkerType } from "queuert/internal";
import type { Database } from "../database.ts";

type WorkerRow = readonly [
  instanceId: string,
  workerId: string,
  host: string,
  pid: number,
  machine: string | null,
  processStart: string | null,
  state: WorkerBeat["state"],
  types: string,
  concurrency: number,
  busy: number,
  beatMs: number,
  libraryVersion: string | null,
  startedAt: number,
  beatAt: number,
];

export const listWorkers = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listWorkers"]> => {
  const select = `
SELECT instance_id, worker_id, host, pid, machine, process_start, state, types, concurrency, busy, beat_ms, library_version,
  started_at, beat_at FROM ${database.names.worker} ORDER BY beat_at DESC, instance_id`;
  return () =>
    database.read(undefined, (session) => session.all<WorkerRow>(select).map(toStoredWorker));
};

const toStoredWorker = (row: WorkerRow): StoredWorker => {
  const [instanceId, workerId, host, pid, machine, processStart, state, types, ...rest] = row;
  const [concurrency, busy, beatMs, libraryVersion, startedAt, beatAt] = rest;
  return {
    ...{ instanceId, workerId, host, pid, machine, processStart, state },
    // Written by `beat`.
    types: JSON.parse(types) as readonly WorkerType[],
    ...{ concurrency, busy, beatMs, libraryVersion },
    startedAt: new Date(startedAt),
    beatAt: new Date(beatAt),
  };
};
