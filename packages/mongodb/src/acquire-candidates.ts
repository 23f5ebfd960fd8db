// The candidates of an acquisition: due jobs of each type in their order, and running jobs with an expired lease.
import type { AcquireJobsParams } from "queuert/internal";
import type { Database } from "./database.ts";
import { endWaits, overdueJobs, type OverdueJob } from "./deadlines.ts";
import { anyPriority, isDue, isExpired, type JobDocument, withoutKey } from "./job-document.ts";

import { type BoundedLimit, boundedLimitRows } from "./limit-document.ts";
import { type KeyedType, keyedTypeRows } from "./limit-keys/keyed-types.ts";
import { readProbes } from "./probes.ts";
import { activePauseRows, type ActivePause, type OpenTypes, withoutPaused } from "./pauses.ts";

type Candidate = Pick<
  JobDocument,
  "_id" | "typeName" | "priority" | "keyPriority" | "scheduledAt" | "ordinal"
>;

const priorityOf = ({ priority, keyPriority = 0 }: Candidate): number => priority ?? keyPriority;

/** The order within a type, as the contract has it. Under aging, priority and due time are one number. */
export const compareUnder =
  (agingMs: number | null) =>
  (a: Candidate, b: Candidate): number => {
    const higher = priorityOf(b) - priorityOf(a);
    const later = a.scheduledAt.getTime() - b.scheduledAt.getTime();
    const first = agingMs === null ? higher || later : later + higher * agingMs || higher;
    return first || a.ordinal - b.ordinal;
  };

export const compareCandidates: (a: Candidate, b: Candidate) => number = compareUnder(null);

export interface CandidateFinder {
  find(
    params: AcquireJobsParams,
    acquired: readonly JobDocument[],
    tried: ReadonlySet<string>,
  ): Promise<{
    readonly ids: readonly string[];
    readonly isExhausted: boolean;
    /** Without the types under limits, and those of batches. */
    readonly open: OpenTypes;
    readonly limited: AcquireJobsParams["types"];
    /** Those with jobs under keys. They may be among the others, too. */
    readonly keyed: AcquireJobsParams["types"];
  }>;
  /** The share of tried jobs that was won sets the size of the next window. */
  learn(tried: number, won: number): void;
}

/** Of the types of a search. */
interface Control {
  readonly pauses: readonly ActivePause[];
  readonly limited: ReadonlySet<string>;
  readonly keyed: ReadonlySet<string>;
  readonly overdue: readonly OverdueJob[];
}

const noControl: Control = { pauses: [], limited: new Set(), keyed: new Set(), overdue: [] };

type Search = (
  wantedTypes: AcquireJobsParams["types"],
  limit: number,
  acquired: readonly JobDocument[],
  tried: ReadonlySet<string>,
) => Promise<Control & { readonly ids: readonly string[]; readonly isExhausted: boolean }>;

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
    if (open.length === 0) {
      return { ids: [], isExhausted: true, ...noControl };
    }
    const factor = Math.floor(spread);
    // With many types a share of each is enough: the next round fills up from types that have more.
    const share = open.length <= 2 ? wanted : Math.ceil((2 * wanted) / open.length);
    const sizes = open.map(({ typeName, room }) => ({
      typeName,
      room,
      size: Math.min(windowMax, Math.min(room, share) * factor + tried.size),
    }));
    const { candidates, ...control } = await readCandidates(db, sizes);
    const queues = sizes.map(({ typeName, room, size }) => {
      const all = candidates.filter((each) => each.typeName === typeName);
      const fresh = all.filter(({ _id }) => !tried.has(_id)).sort(compareCandidates);
      return { isFull: all.length >= size, jobs: stretch(fresh, room, factor) };
    });
    turn = (turn + 1) % queues.length;
    const ids = inTurns([...queues.slice(turn), ...queues.slice(0, turn)], wanted);
    const isExhausted = !queues.some(({ isFull }) => isFull);
    return { ids, isExhausted, ...control };
  };

  return {
    learn: (tried, won) => {
      if (won * 2 < tried) spread = Math.min(spread * 2, spreadMax);
      else if (won === tried) spread = Math.max(1, spread * 0.9);
    },
    find: async ({ types, limit }, acquired, tried) => {
      const first = await search(types, limit, acquired, tried);
      const { pauses, limited, keyed: underKeys, overdue, ...found } = first;
      const open = withoutPaused(types, pauses);
      const keyed = open.types.filter(({ typeName }) => underKeys.has(typeName));
      const isHeld = ({ typeName, batch }: AcquireJobsParams["types"][number]): boolean =>
        batch !== undefined || limited.has(typeName);
      const free = open.types.filter((type) => !isHeld(type));
      const held = open.types.filter(isHeld);
      const names = new Set(open.types.map(({ typeName }) => typeName));
      const ending = overdue.filter(({ typeName }) => names.has(typeName));
      if (ending.length > 0) await endWaits(db, ending);
      else if (free.length === types.length) return { ...found, open, limited: held, keyed };
      // Rare: the candidates of paused and limited types have taken the place of others, or there are more candidates now.
      const { ids, isExhausted } = await search(free, limit, acquired, tried);
      return { ids, isExhausted, open: { ...open, types: free }, limited: held, keyed };
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

// In one command: one probe of the index of due jobs for each type, one of the index of leases for all. The
// pauses and the limits come with it. The index of due jobs passes over the scheduled jobs of each priority with one seek.
const readCandidates = async (
  { jobs, pauses, limits, limitKeys }: Database,
  sizes: readonly { readonly typeName: string; readonly size: number }[],
): Promise<Control & { readonly candidates: readonly Candidate[] }> => {
  const typeNames = sizes.map(({ typeName }) => typeName);
  const probes = [
    ...sizes.map(({ typeName, size }) => [
      { $match: { typeName, status: "pending", ...anyPriority, ...isDue } },
      { $sort: order },
      { $limit: size },
      { $project: fields },
    ]),
    [
      { $match: { status: "running", ...isExpired, typeName: { $in: typeNames }, ...withoutKey } },
      // In the order of the index. The caller sorts them in among the others.
      { $sort: { leasedUntil: 1 } },
      { $limit: windowMax },
      { $project: fields },
    ],
  ];
  const paused = { $unionWith: { coll: pauses.name, pipeline: [...activePauseRows] } };
  const bounded = {
    $unionWith: { coll: limits.name, pipeline: [...boundedLimitRows(typeNames)] },
  };
  const waited = { $unionWith: { coll: jobs.name, pipeline: overdueJobs(typeNames) } };
  type Row = Candidate | ActivePause | BoundedLimit | KeyedType | OverdueJob;
  const underKeys = keyedTypeRows(jobs.name, limitKeys.name, typeNames);
  const found = await readProbes<Row>(jobs, probes, [paused, bounded, waited, ...underKeys]);
  const candidates: Candidate[] = [];
  const active: ActivePause[] = [];
  const limited = new Set<string>();
  const keyed = new Set<string>();
  const overdue: OverdueJob[] = [];
  for (const row of found) {
    if ("isPause" in row) active.push(row);
    else if ("isLimit" in row) limited.add(row.typeName);
    else if ("isKeyed" in row) keyed.add(row._id);
    else if ("isOverdue" in row) overdue.push(row);
    else candidates.push(row);
  }
  return { candidates, pauses: active, limited, keyed, overdue };
};
