import type { AcquireJobsParams } from "queuert/internal";
import { acquireLimited, type LimitedAcquisition, type NewLease } from "./acquire-limited.ts";
import type { Database } from "./database.ts";
import type { JobDocument } from "./job-document.ts";
import { acquireUnderKeys } from "./limit-keys/acquire-under-keys.ts";

/** The next look, as far as limits decide it. */
export interface LimitsLook {
  readonly isLimited: boolean;
  readonly lookInMs: number;
  /** Types whose limit has kept nothing back. */
  readonly free: AcquireJobsParams["types"];
  readonly batches: readonly string[];
}

/** The types that are acquired one by one, each in transactions of its own. */
export interface HeldTypes {
  /** Types under limits, and those of batches: their jobs without keys. */
  readonly limited: AcquireJobsParams["types"];
  /** Types with jobs under keys. */
  readonly keyed: AcquireJobsParams["types"];
  /** Some type or some limit is paused. */
  readonly hasPauses: boolean;
}

interface Source {
  readonly type: AcquireJobsParams["types"][number];
  readonly isKeyed: boolean;
}

/** Each gets a share of the room that is left, and those with more jobs the rest. */
export const acquireUnderLimits = async (
  db: Database,
  params: AcquireJobsParams,
  { limited, keyed, hasPauses }: HeldTypes,
  acquired: JobDocument[],
  lease: NewLease,
): Promise<LimitsLook> => {
  let slots = params.slots ?? params.limit;
  const looks = new Map<Source, SourceLook>();
  const acquire = async (source: Source, share: number): Promise<number> => {
    const { type } = source;
    // The jobs of one key, or those without one, are the batch.
    if (isOwnBatch(source) && acquired.some(({ typeName }) => typeName === type.typeName)) {
      looks.set(source, { isLimited: false, lookInMs: 0 });
      return 0;
    }
    const room = {
      most: Math.min(
        share,
        type.limit - acquired.filter(({ typeName }) => typeName === type.typeName).length,
        params.limit - acquired.length,
      ),
      slots,
    };
    const found = source.isKeyed
      ? await acquireUnderKeys(db, type, { ...room, hasPauses }, lease)
      : await acquireLimited(db, type, room, lease);
    looks.set(source, found);
    if (found === null) return 0;
    acquired.push(...found.jobs);
    if (source.isKeyed || ("isUnderLimit" in found && found.isUnderLimit)) {
      slots -= found.jobs.length;
    }
    return found.jobs.length;
  };
  const sources = inRandomTurn([
    ...limited.map((type): Source => ({ type, isKeyed: false })),
    ...keyed.map((type): Source => ({ type, isKeyed: true })),
  ]);
  const wantMore: Source[] = [];
  for (const [index, source] of sources.entries()) {
    const left = params.limit - acquired.length;
    const share = isOwnBatch(source) ? left : Math.ceil(left / (sources.length - index));
    const count = await acquire(source, share);
    if (count === share && count < left) wantMore.push(source);
  }
  for (const source of wantMore) {
    if (acquired.length < params.limit) await acquire(source, params.limit - acquired.length);
  }
  return toLook(looks);
};

const isOwnBatch = ({ type }: Source): boolean => type.batch?.perKey === true;

type SourceLook = Pick<LimitedAcquisition, "isLimited" | "lookInMs"> | null;

const toLook = (looks: ReadonlyMap<Source, SourceLook>): LimitsLook => {
  let isLimited = false;
  let lookInMs = Infinity;
  const free: AcquireJobsParams["types"][number][] = [];
  const batches: string[] = [];
  for (const [{ type, isKeyed }, found] of looks) {
    const isBatch = !isKeyed && type.batch !== undefined;
    if (isBatch) batches.push(type.typeName);
    else if (!isKeyed && (found === null || !found.isLimited)) free.push(type);
    if (found === null) continue;
    if (!found.isLimited && !isBatch && !isKeyed) continue;
    isLimited ||= found.isLimited;
    lookInMs = Math.min(lookInMs, found.lookInMs);
  }
  return { isLimited, lookInMs, free, batches };
};

/** No type is always the last. */
const inRandomTurn = <T>(types: readonly T[]): readonly T[] => {
  const first = Math.floor(Math.random() * types.length);
  return [...types.slice(first), ...types.slice(0, first)];
};
