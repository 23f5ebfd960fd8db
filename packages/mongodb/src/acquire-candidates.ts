// The candidates of an acquisition: due jobs of each type in their order, and running jobs with an expired lease.
import type { AcquireJobsParams } from "queuert/internal";
import type { Database } from "./database.ts";
import { isDue, isExpired } from "./expressions.ts";
import type { JobDocument } from "./job-document.ts";
import { activePauseRows, type ActivePause, type OpenTypes, withoutPaused } from "./pauses.ts";
import { outside } from "./store.ts";

/** The server refuses a pipeline of more than 1,000 stages. */
const probesPerCommand = 500;

/** The documents of all probes, in one command for each 500 of them. `after`: the stages that follow. */
export const readProbes = async <T>(
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
export const compareCandidates = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority ||
  a.scheduledAt.getTime() - b.scheduledAt.getTime() ||
  a.ordinal - b.ordinal;

export interface CandidateFinder {
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
export const createCandidateFinder = (db: Database): CandidateFinder => {
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
