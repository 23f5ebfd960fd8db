// Which jobs an acquisition tries to take. Strictly the first in order while nobody else is about; when others
// take them first, a random stretch of a longer window, so that many workers do not all want the same hundred.
import type { AcquireJobsParams } from "queuert/internal";
import type { Database } from "../database.ts";
import { isDue, isExpired } from "../instants.ts";
import type { JobDocument } from "../job-document.ts";
import { outside } from "../store.ts";

type Candidate = Pick<JobDocument, "_id" | "typeName" | "priority" | "scheduledAt" | "ordinal">;

export interface CandidateFinder {
  find(
    params: AcquireJobsParams,
    taken: readonly JobDocument[],
    passedBy: ReadonlySet<string>,
  ): Promise<{ readonly ids: readonly string[]; readonly isExhausted: boolean }>;
  /** How many of those tried were won. */
  learn(tried: number, won: number): void;
}

const windowMax = 2_000;
const spreadMax = 16;

/** The order within a type: the contract's. */
export const compareCandidates = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority ||
  a.scheduledAt.getTime() - b.scheduledAt.getTime() ||
  a.ordinal - b.ordinal;

export const createCandidateFinder = (db: Database): CandidateFinder => {
  // How many times as many candidates are read as are wanted.
  let spread = 1;
  // Which type comes first, one further each time: none with due jobs goes without for ever.
  let turn = 0;

  return {
    learn: (tried, won) => {
      if (won * 2 < tried) spread = Math.min(spread * 2, spreadMax);
      else if (won === tried) spread = Math.max(1, spread * 0.9);
    },
    find: async ({ types, limit }, taken, passedBy) => {
      const wanted = limit - taken.length;
      const open = types
        .map(({ typeName, limit: typeLimit }) => ({
          typeName,
          room: Math.min(
            wanted,
            typeLimit - taken.filter((job) => job.typeName === typeName).length,
          ),
        }))
        .filter(({ room }) => room > 0);
      if (open.length === 0) return { ids: [], isExhausted: true };
      const factor = Math.floor(spread);
      // With many types a share of each will do; the next round fills up from those that have more.
      const share = open.length <= 2 ? wanted : Math.ceil((2 * wanted) / open.length);
      const sizes = open.map(({ typeName, room }) => ({
        typeName,
        room,
        size: Math.min(windowMax, Math.min(room, share) * factor + passedBy.size),
      }));
      const found = await readCandidates(db, sizes);
      const queues = sizes.map(({ typeName, room, size }) => {
        const all = found.filter((each) => each.typeName === typeName);
        const fresh = all.filter(({ _id }) => !passedBy.has(_id)).sort(compareCandidates);
        return { isFull: all.length >= size, jobs: stretch(fresh, room, factor) };
      });
      turn = (turn + 1) % queues.length;
      const ids = inTurns([...queues.slice(turn), ...queues.slice(0, turn)], wanted);
      return { ids, isExhausted: !queues.some(({ isFull }) => isFull) };
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

// One probe of the claim index for each type, and one of the lease index for all, in one command. The claim index passes
// over scheduled jobs of each priority with one seek, however many there are.
const readCandidates = (
  { jobs }: Database,
  sizes: readonly { readonly typeName: string; readonly size: number }[],
): Promise<Candidate[]> => {
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
      // In the order of the index; their place among the others is found below.
      { $sort: { leasedUntil: 1 } },
      { $limit: windowMax },
      { $project: fields },
    ],
  ];
  const [first = [], ...others] = probes;
  const unions = others.map((pipeline) => ({ $unionWith: { coll: jobs.name, pipeline } }));
  return jobs.aggregate<Candidate>(outside, [...first, ...unions], { candidates: true });
};
