// Lines and progress of attempts. Each document is written by itself: nothing depends on two of them at once.
import { loggedAttemptsKept, type AppendLogsParams, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";
import { readClock } from "./read-clock.ts";

export const appendLogs = (db: Database): NonNullable<OperatorStore["appendLogs"]> => {
  const readNow = readClock(db);
  return async (params) => {
    const now = await readNow();
    const existing = await existingJobs(db, params);
    const isThere = ({ jobId }: { readonly jobId: string }): boolean => existing.has(jobId);
    await storeProgress(db, params.progress.filter(isThere), now);
    const chunks = params.chunks.filter(isThere);
    await storeChunks(db, chunks, now);
    for (const { jobId, leaseVersion, from, before } of params.gaps) {
      const firstLine = { $gte: from, $lt: before };
      await db.logs.deleteMany(outside, { jobId, leaseVersion, firstLine });
    }
    for (const jobId of new Set(chunks.map((chunk) => chunk.jobId))) await dropOlder(db, jobId);
    if (params.forget.length > 0) {
      const $or = params.forget.map(({ jobId, leaseVersion }) => ({ jobId, leaseVersion }));
      await db.logs.deleteMany(outside, { $or });
      await db.progress.deleteMany(outside, {
        $or: params.forget.map(({ jobId, leaseVersion }) => ({ _id: jobId, leaseVersion })),
      });
    }
    const isOld = { storedAt: { $lt: new Date(now.getTime() - params.keptMs) } };
    await db.logs.deleteMany(outside, isOld);
    await db.progress.deleteMany(outside, isOld);
  };
};

const existingJobs = async (
  { jobs }: Database,
  { chunks, progress }: AppendLogsParams,
): Promise<ReadonlySet<string>> => {
  const ids = [...new Set([...chunks, ...progress].map(({ jobId }) => jobId))];
  if (ids.length === 0) return new Set();
  const found = await jobs.find(outside, { _id: { $in: ids } }, { projection: { _id: 1 } });
  return new Set(found.map(({ _id }) => _id));
};

const storeChunks = async (
  { logs }: Database,
  chunks: AppendLogsParams["chunks"],
  storedAt: Date,
): Promise<void> => {
  if (chunks.length === 0) return;
  const inserts = chunks.map((chunk) => ({
    updateOne: {
      filter: { _id: `${chunk.leaseVersion} ${chunk.firstLine} ${chunk.jobId}` },
      update: { $setOnInsert: { ...chunk, storedAt } },
      upsert: true,
    },
  }));
  await logs.bulkUpdate(outside, inserts);
};

/** The progress of a newer attempt stays. */
const storeProgress = async (
  { progress }: Database,
  entries: AppendLogsParams["progress"],
  storedAt: Date,
): Promise<void> => {
  if (entries.length === 0) return;
  const updates = entries.map(({ jobId, leaseVersion, fraction, note }) => {
    const isNewer = { $lte: [{ $ifNull: ["$leaseVersion", 0] }, leaseVersion] };
    const values = { leaseVersion, fraction, note, storedAt };
    const fields = Object.entries(values).map(([key, value]) => [
      key,
      { $cond: [isNewer, { $literal: value }, `$${key}`] },
    ]);
    const update = [{ $set: Object.fromEntries(fields) as object }];
    return { updateOne: { filter: { _id: jobId }, update, upsert: true } };
  });
  await progress.bulkUpdate(outside, updates);
};

/** The last attempts that logged keep their lines. */
const dropOlder = async ({ logs }: Database, jobId: string): Promise<void> => {
  const [newest] = await logs.aggregate<{ readonly _id: number }>(outside, [
    { $match: { jobId } },
    { $group: { _id: "$leaseVersion" } },
    { $sort: { _id: -1 } },
    { $skip: loggedAttemptsKept },
    { $limit: 1 },
  ]);
  if (newest === undefined) return;
  await logs.deleteMany(outside, { jobId, leaseVersion: { $lte: newest._id } });
};
