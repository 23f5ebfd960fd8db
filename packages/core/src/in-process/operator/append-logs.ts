import { loggedAttemptsKept, type AppendLogsParams } from "../../adapters/operator-logs.ts";
import type { Database, InProcessOperatorMethod, JobLog } from "../database.ts";

export const appendLogs =
  (database: Database): InProcessOperatorMethod<"appendLogs"> =>
  async (params) =>
    database.read(undefined, "appendLogs", (store) => {
      const { logs } = database;
      const now = database.now();
      const logOf = (jobId: string): JobLog => {
        const log = logs.get(jobId) ?? { chunks: [], progress: undefined };
        // A job that does not exist has no log: this one is written for nothing.
        if (store.byId.get(jobId)?.committed !== undefined) logs.set(jobId, log);
        return log;
      };
      append(params, logOf, new Date(now));
      for (const [jobId, log] of logs) {
        const isKept = ({ at }: { readonly at: Date }): boolean =>
          now - at.getTime() <= params.keptMs;
        log.chunks = log.chunks.filter(isKept);
        if (log.progress !== undefined && !isKept(log.progress)) log.progress = undefined;
        const isGone = store.byId.get(jobId)?.committed === undefined;
        if (isGone || (log.chunks.length === 0 && log.progress === undefined)) logs.delete(jobId);
      }
    });

const append = (
  { chunks, gaps, progress, forget }: AppendLogsParams,
  logOf: (jobId: string) => JobLog,
  at: Date,
): void => {
  for (const { jobId, ...chunk } of chunks) {
    const log = logOf(jobId);
    const isStored = log.chunks.some(
      ({ leaseVersion, firstLine }) =>
        leaseVersion === chunk.leaseVersion && firstLine === chunk.firstLine,
    );
    if (isStored) continue;
    log.chunks = [...log.chunks, { ...chunk, at }].sort(
      (a, b) => a.leaseVersion - b.leaseVersion || a.firstLine - b.firstLine,
    );
    const versions = [...new Set(log.chunks.map(({ leaseVersion }) => leaseVersion))];
    const kept = new Set(versions.slice(-loggedAttemptsKept));
    log.chunks = log.chunks.filter(({ leaseVersion }) => kept.has(leaseVersion));
  }
  for (const { jobId, leaseVersion, from, before } of gaps) {
    const log = logOf(jobId);
    log.chunks = log.chunks.filter(
      (chunk) =>
        chunk.leaseVersion !== leaseVersion || chunk.firstLine < from || chunk.firstLine >= before,
    );
  }
  for (const { jobId, ...entry } of progress) {
    const log = logOf(jobId);
    if (entry.leaseVersion < (log.progress?.leaseVersion ?? 0)) continue;
    log.progress = { ...entry, at };
  }
  for (const { jobId, leaseVersion } of forget) {
    const log = logOf(jobId);
    log.chunks = log.chunks.filter((chunk) => chunk.leaseVersion !== leaseVersion);
    if (log.progress?.leaseVersion === leaseVersion) log.progress = undefined;
  }
};
