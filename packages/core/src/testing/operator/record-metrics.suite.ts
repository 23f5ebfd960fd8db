import { expect } from "vitest";
import type { MetricCounts, StoredMetric } from "../../adapters/operator-store.ts";
import {
  defineOperatorSuite,
  type OperatorCaseContext,
  type OperatorSuite,
} from "./operator-suite.ts";

const dayMs = 24 * 60 * 60_000;
export const kept: { readonly minutesKeptMs: number; readonly hoursKeptMs: number } = {
  minutesKeptMs: dayMs,
  hoursKeptMs: 90 * dayMs,
};
/** Any time of a test. */
export const always: { readonly from: Date; readonly to: Date } = {
  from: new Date(0),
  to: new Date(Date.UTC(9999, 0)),
};

const sumOf = (metrics: readonly StoredMetric[]): Record<string, Record<string, number>> => {
  const sums: Record<string, Record<string, number>> = {};
  for (const { typeName, counts } of metrics) {
    const sum = (sums[typeName] ??= {});
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sums;
};

const sums = async ({ operator }: OperatorCaseContext, stepMs: 60_000 | 3_600_000) =>
  sumOf(await operator.listMetrics({ stepMs, ...always, typeNames: null }));

const record = (
  { operator }: OperatorCaseContext,
  typeName: string,
  counts: MetricCounts,
): Promise<void> => operator.recordMetrics({ entries: [{ typeName, counts }], ...kept });

export const recordMetricsSuite: OperatorSuite = defineOperatorSuite("recordMetrics", (rule) => {
  rule(
    "Counts are added by type and by name. Calls at the same time lose nothing.",
    async (test) => {
      await record(test, 'odd "$name". 🙂', { completed: 2, run3: 1 });
      const entries = ["b", "a"].map((typeName) => ({
        typeName,
        counts: { completed: 3, runMs: 4_000_000_000, wait0: 1 },
      }));
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const ordered = index % 2 === 0 ? entries : entries.toReversed();
          await test.operator.recordMetrics({ entries: ordered, ...kept });
          await record(test, "a", { failed: 1 });
        }),
      );
      await test.operator.recordMetrics({ entries: [], ...kept });
      const all = { completed: 60, runMs: 80_000_000_000, wait0: 20 };
      expect(await sums(test, 60_000)).toEqual({
        'odd "$name". 🙂': { completed: 2, run3: 1 },
        a: { ...all, failed: 20 },
        b: all,
      });
    },
  );

  rule("An hour is the sum of its minutes.", async (test) => {
    await record(test, "a", { completed: 2, run3: 1 });
    await record(test, "a", { completed: 1, failed: 1 });
    await record(test, "b", { lost: 1 });
    expect(await sums(test, 3_600_000)).toEqual(await sums(test, 60_000));
    const hours = { stepMs: 3_600_000, ...always, typeNames: ["a"] } as const;
    for (const { at } of await test.operator.listMetrics(hours)) {
      expect(at.getTime() % 3_600_000).toBe(0);
    }
  });

  rule(
    "Removes minutes that began more than `minutesKeptMs` ago, and hours that began more than `hoursKeptMs` ago.",
    async (test) => {
      const { operator, steps } = test;
      await record(test, "a", { completed: 1 });
      const minutes = { stepMs: 60_000, ...always, typeNames: null } as const;
      const [{ at } = { at: new Date(0) }] = await operator.listMetrics(minutes);
      await steps.untilStoreTime(new Date(at.getTime() + 2));
      await operator.recordMetrics({ entries: [], ...kept, minutesKeptMs: 1 });
      expect(await sums(test, 60_000)).toEqual({});
      expect(await sums(test, 3_600_000)).toEqual({ a: { completed: 1 } });
      const hours = { ...minutes, stepMs: 3_600_000 } as const;
      const [hour] = await operator.listMetrics(hours);
      await steps.untilStoreTime(new Date((hour?.at.getTime() ?? 0) + 2));
      await operator.recordMetrics({ entries: [], ...kept, hoursKeptMs: 1 });
      expect(await sums(test, 3_600_000)).toEqual({});
    },
  );
});
