// Step 4 of the walk: due jobs are acquired. Each round reads the next candidates of all types in one
// command, in index order. One update acquires them: it checks each again, and writes the stamp of this
// call. The jobs with the stamp are acquired by this call alone. A round is repeated only when
// other workers were faster, and then further down the queue.
import {
  type AcquireJobsParams,
  type AcquireJobsResult,
  limits,
  type StateAdapter,
} from "queuert/internal";
import { expiredAttempt, leaseExpired } from "../attempts.ts";
import type { Database, Repeat } from "../database.ts";
import { afterNow, isDue, isExpired } from "../expressions.ts";
import { createStamp, type JobDocument, toStateJob } from "../job-document.ts";
import { activePauseRows, type ActivePause, type OpenTypes, withoutPaused } from "../pauses.ts";
import { toStateSequence } from "../sequences.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";

type AcquireJobs = StateAdapter<object, object, string>["acquireJobs"];

const roundsMax = 6;

export const acquireJobs = (db: Database, repeat: Repeat): AcquireJobs => {
  const finder = createCandidateFinder(db);
  return async (params) => {
    const stamp = createStamp();
    const acquired: JobDocument[] = [];
    let open: OpenTypes = { types: params.types, resumesInMs: Infinity };
    const tried = new Set<string>();
    for (let round = 0; round < roundsMax && acquired.length < params.limit; round++) {
      const { ids, isExhausted, open: openNow } = await finder.find(params, acquired, tried);
      open = openNow;
      if (ids.length === 0) break;
      const won = await repeat(() => acquire(db, params, stamp, ids));
      acquired.push(...won);
      for (const id of ids) tried.add(id);
      finder.learn(ids.length, won.length);
      if (isExhausted && won.length === ids.length) break;
    }
    return toResult(db, params, open, acquired.sort(compareCandidates));
  };
};

// May be repeated: a job that an earlier attempt has acquired bears the stamp, and is left alone.
const acquire = async (
  db: Database,
  params: AcquireJobsParams,
  stamp: string,
  ids: readonly string[],
): Promise<JobDocument[]> => {
  const isFree = {
    // Not a job that this call has acquired, even if its lease is so short that it has expired.
    acquisition: { $ne: stamp },
    $or: [
      { status: "pending", ...isDue },
      { status: "running", ...isExpired },
    ],
  };
  const won: JobDocument[] = [];
  await skipLocked(db, ids, async (scope, some, options) => {
    const set = [{ $set: toLease(params, stamp) }];
    const [id, second] = some;
    if (id === undefined || second !== undefined || scope.session !== undefined) {
      await db.jobs.updateMany(scope, { _id: { $in: some }, ...isFree }, set, options);
      return;
    }
    // One job, as for an idle worker: written and read at once. Not in a transaction, which may fail
    // later. A repeated attempt finds the job acquired, and goes on to the read below.
    const job = await db.jobs.findOneAndUpdate(scope, { _id: id, ...isFree }, set, options);
    if (job !== null) won.push(job);
  });
  if (won.length > 0) return won;
  // Only running jobs: if this process was suspended, another may have reclaimed them, and the stamp stays.
  return db.jobs.find(outside, { _id: { $in: ids }, acquisition: stamp, status: "running" });
};

const toLease = ({ workerId, types }: AcquireJobsParams, stamp: string): object => {
  const leases = types.map(({ typeName, leaseMs }) => ({
    case: { $eq: ["$typeName", { $literal: typeName }] },
    // oxlint-disable-next-line unicorn/no-thenable -- the operator's own word
    then: afterNow(leaseMs),
  }));
  const leaseMs = types[0]?.leaseMs ?? 0;
  const isUniform = types.every((type) => type.leaseMs === leaseMs);
  const wasRunning = { $eq: ["$status", "running"] };
  return {
    status: "running",
    acquisition: stamp,
    leasedBy: { $literal: workerId },
    leasedUntil: isUniform ? afterNow(leaseMs) : { $switch: { branches: leases } },
    attempt: { $add: ["$attempt", 1] },
    leaseVersion: { $add: ["$leaseVersion", 1] },
    lastAttemptAt: "$$NOW",
    reclaimedFrom: { $cond: [wasRunning, "$leasedBy", "$$REMOVE"] },
    lastAttemptError: { $cond: [wasRunning, leaseExpired, "$lastAttemptError"] },
    attempts: { $cond: [wasRunning, expiredAttempt, "$attempts"] },
  };
};

const toResult = async (
  db: Database,
  params: AcquireJobsParams,
  open: OpenTypes,
  acquired: readonly JobDocument[],
): Promise<AcquireJobsResult> => {
  const blockerIds = acquired.flatMap(({ blockers }) => blockers ?? []);
  const sequences = await db.sequences.find(outside, blockerIds);
  const isFull = acquired.length >= params.limit;
  return {
    jobs: acquired.map((document) => ({
      job: toStateJob(document),
      blockers: (document.blockers ?? []).flatMap((id) => {
        const sequence = sequences.get(id);
        return sequence === undefined ? [] : [toStateSequence(sequence)];
      }),
      reclaimedFrom: document.reclaimedFrom ?? null,
    })),
    ...(isFull ? { nextDueInMs: 0 } : await readNextDue(db, open)),
  };
};

/**
 * Milliseconds until the next pending job of these types is due; 0 if one is due. A distinct scan of the
 * index: for each type and priority one key is read, its earliest. The server's time comes with it.
 */
const readNextDue = async (
  { jobs }: Database,
  { types, resumesInMs }: OpenTypes,
): Promise<Pick<AcquireJobsResult, "nextDueInMs" | "storeTime">> => {
  const probes = types.map(({ typeName }) => [
    { $match: { typeName, status: "pending" } },
    { $sort: { priority: -1, scheduledAt: 1 } },
    { $group: { _id: "$priority", at: { $first: "$scheduledAt" } } },
  ]);
  const earliest = [
    { $group: { _id: null, at: { $min: "$at" } } },
    { $project: { inMs: { $subtract: ["$at", "$$NOW"] }, now: "$$NOW" } },
  ];
  type NextDue = { readonly inMs: number; readonly now: Date };
  const found = types.length === 0 ? [] : await readProbes<NextDue>(jobs, probes, earliest);
  const [first] = found;
  const inMs = Math.min(resumesInMs, ...found.map((next) => next.inMs));
  if (inMs === Infinity) return { nextDueInMs: null };
  return {
    nextDueInMs: Math.max(0, Math.min(inMs, limits.timerMsMax)),
    ...(first !== undefined && { storeTime: first.now }),
  };
};

/** The server refuses a pipeline of more than 1,000 stages. */
const probesPerCommand = 500;

/** The documents of all probes, in one command for each 500 of them. `after`: the stages that follow. */
const readProbes = async <T>(
  jobs: Database["jobs"],
  probes: readonly object[][],
  after: readonly object[] = [],
): Promise<T[]> => {
  const found: T[] = [];
  for (let from = 0; from < probes.length; from += probesPerCommand) {
    const [first = [], ...others] = probes.slice(from, from + probesPerCommand);
    const unions = others.map((pipeline) => ({ $unionWith: { coll: jobs.name, pipeline } }));
    const pipeline = [...first, ...unions, ...after];
    found.push(...(await jobs.aggregate<T>(outside, pipeline, { candidates: true })));
  }
  return found;
};

type Candidate = Pick<JobDocument, "_id" | "typeName" | "priority" | "scheduledAt" | "ordinal">;

/** The order within a type, as the contract has it. */
const compareCandidates = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority ||
  a.scheduledAt.getTime() - b.scheduledAt.getTime() ||
  a.ordinal - b.ordinal;

interface CandidateFinder {
  find(
    params: AcquireJobsParams,
    acquired: readonly JobDocument[],
    tried: ReadonlySet<string>,
  ): Promise<{
    readonly ids: readonly string[];
    readonly isExhausted: boolean;
    readonly open: OpenTypes;
  }>;
  /** The share of tried jobs that was won sets the size of the next window. */
  learn(tried: number, won: number): void;
}

const windowMax = 2_000;
const spreadMax = 16;

/**
 * Candidates are strictly the first in order while there is no competition. If other workers acquire them
 * first, they are a random stretch of a longer window: many workers then do not try the same hundred.
 */
const createCandidateFinder = (db: Database): CandidateFinder => {
  // The size of the window, as a multiple of the wanted jobs.
  let spread = 1;
  // The type that comes first moves on each time: no type with due jobs waits for ever.
  let turn = 0;

  type Search = (
    wantedTypes: AcquireJobsParams["types"],
    limit: number,
    acquired: readonly JobDocument[],
    tried: ReadonlySet<string>,
  ) => Promise<{
    readonly ids: readonly string[];
    readonly isExhausted: boolean;
    readonly pauses: readonly ActivePause[];
  }>;

  const search: Search = async (wantedTypes, limit, acquired, tried) => {
    const wanted = limit - acquired.length;
    const open = wantedTypes
      .map(({ typeName, limit: typeLimit }) => ({
        typeName,
        room: Math.min(
          wanted,
          typeLimit - acquired.filter((job) => job.typeName === typeName).length,
        ),
      }))
      .filter(({ room }) => room > 0);
    if (open.length === 0) return { ids: [], isExhausted: true, pauses: [] };
    const factor = Math.floor(spread);
    // With many types a share of each is enough: the next round fills up from types that have more.
    const share = open.length <= 2 ? wanted : Math.ceil((2 * wanted) / open.length);
    const sizes = open.map(({ typeName, room }) => ({
      typeName,
      room,
      size: Math.min(windowMax, Math.min(room, share) * factor + tried.size),
    }));
    const { candidates, pauses } = await readCandidates(db, sizes);
    const queues = sizes.map(({ typeName, room, size }) => {
      const all = candidates.filter((each) => each.typeName === typeName);
      const fresh = all.filter(({ _id }) => !tried.has(_id)).sort(compareCandidates);
      return { isFull: all.length >= size, jobs: stretch(fresh, room, factor) };
    });
    turn = (turn + 1) % queues.length;
    const ids = inTurns([...queues.slice(turn), ...queues.slice(0, turn)], wanted);
    return { ids, isExhausted: !queues.some(({ isFull }) => isFull), pauses };
  };

  return {
    learn: (tried, won) => {
      if (won * 2 < tried) spread = Math.min(spread * 2, spreadMax);
      else if (won === tried) spread = Math.max(1, spread * 0.9);
    },
    find: async ({ types, limit }, acquired, tried) => {
      const { pauses, ...found } = await search(types, limit, acquired, tried);
      const open = withoutPaused(types, pauses);
      if (open.types.length === types.length) return { ...found, open };
      // Rare: the candidates of paused types have taken the place of others.
      const { ids, isExhausted } = await search(open.types, limit, acquired, tried);
      return { ids, isExhausted, open };
    },
  };
};

const stretch = (
  jobs: readonly Candidate[],
  count: number,
  factor: number,
): readonly Candidate[] => {
  const from = factor === 1 ? 0 : Math.floor(Math.random() * Math.max(1, jobs.length - count + 1));
  return jobs.slice(from, from + count);
};

const inTurns = (
  queues: readonly { readonly jobs: readonly Candidate[] }[],
  limit: number,
): string[] => {
  const ids: string[] = [];
  for (let index = 0; ids.length < limit; index++) {
    const before = ids.length;
    for (const { jobs } of queues) {
      const job = jobs[index];
      if (job !== undefined && ids.length < limit) ids.push(job._id);
    }
    if (ids.length === before) break;
  }
  return ids;
};

const order = { priority: -1, scheduledAt: 1, ordinal: 1 } as const;
const fields = { typeName: 1, priority: 1, scheduledAt: 1, ordinal: 1 } as const;

// In one command: one probe of the index of due jobs for each type, one of the index of leases for all, and
// the pauses. The index of due jobs passes over the scheduled jobs of each priority with one seek.
const readCandidates = async (
  { jobs, pauses }: Database,
  sizes: readonly { readonly typeName: string; readonly size: number }[],
): Promise<{
  readonly candidates: readonly Candidate[];
  readonly pauses: readonly ActivePause[];
}> => {
  const typeNames = sizes.map(({ typeName }) => typeName);
  const probes = [
    ...sizes.map(({ typeName, size }) => [
      { $match: { typeName, status: "pending", ...isDue } },
      { $sort: order },
      { $limit: size },
      { $project: fields },
    ]),
    [
      { $match: { status: "running", ...isExpired, typeName: { $in: typeNames } } },
      // In the order of the index. The caller sorts them in among the others.
      { $sort: { leasedUntil: 1 } },
      { $limit: windowMax },
      { $project: fields },
    ],
  ];
  const paused = { $unionWith: { coll: pauses.name, pipeline: [...activePauseRows] } };
  const found = await readProbes<Candidate | ActivePause>(jobs, probes, [paused]);
  const candidates: Candidate[] = [];
  const active: ActivePause[] = [];
  for (const row of found) {
    if ("isPause" in row) active.push(row);
    else candidates.push(row);
  }
  return { candidates, pauses: active };
};
