// Limits by key: never more than the limit of a key at once, its rate, and turns.
import { tenants } from "../load/errand-types.ts";
import { errandKeys } from "../load/errand-types.ts";
import { keyedAcquisitions } from "./errand-acquisitions.ts";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";
import { type KnownBounds, knownKeyBounds } from "./key-bounds.ts";

/** At no moment more jobs of a key hold an unexpired lease than its bound allows: the newest of a crowd must have found room. */
export const checkKeyConcurrency: Check = (history) => {
  const known = knownKeyBounds(history, tenants, errandKeys);
  return history.control.crowds.flatMap(({ typeName, key, at, acquiredAt }): Violation[] => {
    if (typeName !== tenants || key === null) return [];
    for (const [index, time] of acquiredAt.entries()) {
      const one = known.find((each) => each.key === key && each.from < time && time < each.until);
      const most = one?.bounds.concurrency ?? null;
      if (most === null || index < most) continue;
      const detail = `${key} at ${at}: ${index + 1} of at most ${most}`;
      return [{ rule: "never more than the limit of a key at once", detail }];
    }
    return [];
  });
};

/** In any `perMs` the starts of a key cost at most `count + burst - 1`. Stored times are whole milliseconds. */
export const checkKeyRate: Check = (history) => {
  const byKey = groupBy(keyedAcquisitions(history), ({ key }) => key);
  return knownKeyBounds(history, tenants, byKey.keys()).flatMap((known): Violation[] => {
    const { rate } = known.bounds;
    if (rate === null) return [];
    const most = rate.count + rate.burst - 1;
    const starts = (byKey.get(known.key) ?? []).filter(
      ({ at }) => at > known.from && at < known.until,
    );
    for (const [index, { at: from }] of starts.entries()) {
      const together = starts.slice(index).filter(({ at }) => at - from < rate.perMs - 1);
      const cost = together.reduce((sum, one) => sum + Math.min(one.cost, rate.burst), 0);
      if (cost <= most) continue;
      const detail = `${known.key}: ${cost} of ${most} in ${rate.perMs} ms from ${from}`;
      return [{ rule: "never more starts of a key than its rate allows", detail }];
    }
    return [];
  });
};

/**
 * A key waits for so many turns of another, at most. One may be under way, one may come first, and one may be taken by another
 * worker at the same time.
 */
const turnsMax = 3;

/** A key whose jobs wait in a store with types that share a limit is found within a second. */
const foundWithinMs = 1_000;

/** A permit may last so long that nothing is said about the key meanwhile. */
const busyMs = 10_000;

/**
 * Keys take turns, and those of each type among themselves. While a key has a due job and room, no other key starts more jobs of
 * the same type than three turns have. A turn has at most as many jobs as a worker takes at once.
 */
export const checkFairness: Check = (history) => {
  const most = turnsMax * history.control.roomMax;
  const all = keyedAcquisitions(history);
  const known = knownKeyBounds(history, tenants, errandKeys);
  return waitsOf(history, all).flatMap(({ key, typeName, jobId, from, until }): Violation[] => {
    if (!hasRoom(known, all, { key, from, until }) || isPaused(history, key, from, until))
      return [];
    const others = all.filter(
      (one) => one.key !== key && one.typeName === typeName && one.at > from && one.at < until,
    );
    for (const [other, starts] of groupBy(others, (one) => one.key)) {
      if (starts.length <= most) continue;
      const detail = `${jobId} of ${key} waited for ${starts.length} jobs of ${other}, not ${most}`;
      return [{ rule: "keys take turns", detail }];
    }
    return [];
  });
};

interface Wait {
  readonly key: string;
  readonly from: number;
  readonly until: number;
}

/** The waits of due jobs for their first acquisition, each since the last start of its key. */
const waitsOf = (
  history: History,
  all: ReturnType<typeof keyedAcquisitions>,
): readonly (Wait & { readonly jobId: string; readonly typeName: string })[] => {
  const startedAt = new Map(
    entriesOf(history, "errandsStarted").flatMap(({ ids, at }) => ids.map((id) => [id, at])),
  );
  const jobs = new Map(history.control.jobs.map((job) => [job.id, job]));
  return all.flatMap(({ jobId, typeName, key, leaseVersion, at: until }) => {
    const [job, knownAt] = [jobs.get(jobId), startedAt.get(jobId)];
    if (leaseVersion !== 1 || job === undefined || knownAt === undefined) return [];
    // Of a job that was rescheduled the first due time is gone.
    if (job.leaseVersion !== 1) return [];
    const isOwn = (one: { readonly key: string; readonly typeName: string }): boolean =>
      one.key === key && one.typeName === typeName;
    const last = all.findLast((one) => isOwn(one) && one.at < until)?.at ?? 0;
    const dueAt = Math.max(job.scheduledAt.getTime(), knownAt) + history.toleranceMs;
    const from = Math.max(dueAt + foundWithinMs, last);
    return from < until ? [{ jobId, typeName, key, from, until }] : [];
  });
};

/** No bound held the key back, as far as is known. */
const hasRoom = (
  known: readonly KnownBounds[],
  all: ReturnType<typeof keyedAcquisitions>,
  { key, from, until }: Wait,
): boolean => {
  const bounds = known.find(
    (one) => one.key === key && one.from < from && until < one.until,
  )?.bounds;
  if (bounds === undefined || bounds.rate !== null) return false;
  if (bounds.concurrency === null) return true;
  return !all.some((one) => one.key === key && one.at > from - busyMs && one.at < until);
};

/** It may have been. */
const isPaused = (history: History, key: string, from: number, until: number): boolean =>
  entriesOf(history, "setting").some(
    ({ at, key: own, value }) =>
      own === key &&
      "pause" in value &&
      value.pause.isPaused &&
      at < until &&
      at + (value.pause.forMs ?? Number.POSITIVE_INFINITY) + busyMs > from,
  );
