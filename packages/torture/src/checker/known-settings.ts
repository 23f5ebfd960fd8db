import type { Setting } from "./control-history.ts";
import { errandAcquisitions } from "./errand-acquisitions.ts";
import { groupBy } from "./group-by.ts";
import { entriesOf, type History } from "./history.ts";

/** A time in which a setting is known to have been in force. */
export interface KnownSetting {
  readonly typeName: string;
  readonly key: string | undefined;
  readonly value: Setting["value"];
  /** When its call began. */
  readonly calledAt: number;
  readonly from: number;
  readonly until: number;
}

/** A call that was not answered takes effect within this, or never. */
const lostMs = 10_000;

/**
 * Where calls overlap, or an answer was lost, nothing is known until a later call that was answered. A setting is
 * known until the next call begins.
 */
export const knownSettings = (
  history: History,
  part: "bounds" | "pause" | "perKey" | "ofKey",
): readonly KnownSetting[] => {
  const doneAt = new Map(entriesOf(history, "set").map(({ call, at }) => [call, at]));
  const calls = entriesOf(history, "setting").filter(({ value }) => part in value);
  return [...groupBy(calls, ({ typeName, key }) => `${typeName}/${key}`).values()].flatMap(
    (own) => {
      const sorted = own.toSorted((one, other) => one.at - other.at);
      let openUntil = 0;
      return sorted.flatMap(
        ({ call, typeName, key, value, at: calledAt }, index): KnownSetting[] => {
          const answeredAt = doneAt.get(call);
          const overlaps = openUntil > calledAt;
          openUntil = Math.max(openUntil, answeredAt ?? calledAt + lostMs);
          if (answeredAt === undefined || overlaps) return [];
          const from = answeredAt + history.statementMs;
          const until = sorted[index + 1]?.at ?? Number.POSITIVE_INFINITY;
          return from < until ? [{ typeName, key, value, calledAt, from, until }] : [];
        },
      );
    },
  );
};

interface SeenAcquisition {
  readonly typeName: string;
  /** Of an errand under a key. */
  readonly key: string | null;
  readonly at: number;
  readonly what: string;
}

/** Every acquisition that was seen, by its time. */
export const acquisitionsOf = (history: History): readonly SeenAcquisition[] => {
  const { jobs, leases } = history;
  const seen = new Map<string, SeenAcquisition>();
  for (const { id, typeName, leaseVersion, lastAttemptAt } of jobs) {
    const what = `${id}/${leaseVersion}`;
    const at = lastAttemptAt?.getTime();
    if (at !== undefined) seen.set(what, { typeName, key: null, at, what });
  }
  for (const { jobId, typeName, leaseVersion, acquiredAt } of leases) {
    const what = `${jobId}/${leaseVersion}`;
    seen.set(what, { typeName, key: null, at: acquiredAt, what });
  }
  for (const { jobId, leaseVersion, typeName, key, at } of errandAcquisitions(history)) {
    const what = `${jobId}/${leaseVersion}`;
    seen.set(what, { typeName, key, at, what });
  }
  return [...seen.values()].toSorted((one, other) => one.at - other.at);
};
