import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anOperator, type OperatedStore } from "./a-client.ts";

const minuteMs = 60_000;

/** Jobs that were created at these minutes after the store's beginning. */
const jobsAt = async (
  { steps, clock }: OperatedStore,
  minutes: readonly number[],
): Promise<readonly { readonly id: string; readonly at: number }[]> => {
  const beginning = clock.ms;
  const jobs: { readonly id: string; readonly at: number }[] = [];
  for (const minute of [...minutes].sort((a, b) => a - b)) {
    clock.ms = beginning + minute * minuteMs;
    const { id } = await steps.createOne();
    jobs.push({ id, at: clock.ms });
  }
  return jobs;
};

/** All jobs that a filter finds, page by page, and how many were looked at. */
const searchAll = async (
  { operator }: OperatedStore,
  filter: string,
  order: "asc" | "desc",
): Promise<{ readonly ids: readonly string[]; readonly examined: number }> => {
  const ids: string[] = [];
  let examined = 0;
  let cursor: string | null = null;
  do {
    const page = await operator.listJobs({ filter, order, cursor, limit: 7 });
    ids.push(...page.items.map(({ id }) => id));
    examined += page.examined;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { ids, examined };
};

const iso = (ms: number): string => new Date(ms).toISOString();

describe("a search by the time of creation", () => {
  it("finds each job of the window once, in each order, for any times", async () => {
    const minute = fc.integer({ min: 0, max: 400 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(minute, { maxLength: 60 }),
        fc.option(minute, { nil: null }),
        fc.option(minute, { nil: null }),
        fc.constantFrom("asc" as const, "desc" as const),
        async (minutes, from, to, order) => {
          const store = await anOperator({ examineStep: 5 });
          const beginning = store.clock.ms;
          const jobs = await jobsAt(store, minutes);
          const bound = (offset: number): number => beginning + offset * minuteMs;
          const filter = [
            ...(from === null ? [] : [`since:${iso(bound(from))}`]),
            ...(to === null ? [] : [`until:${iso(bound(to))}`]),
          ].join(" ");
          const expected = jobs
            .filter(({ at }) => from === null || at >= bound(from))
            .filter(({ at }) => to === null || at < bound(to))
            .map(({ id }) => id);
          const { ids } = await searchAll(store, filter, order);
          expect(ids).toEqual(order === "asc" ? expected : expected.toReversed());
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  it("looks at the window, and not at the jobs beside it", async () => {
    const store = await anOperator();
    const jobs = await jobsAt(
      store,
      Array.from({ length: 3_000 }, (_, index) => index),
    );
    const from = jobs[1_000]?.at ?? 0;
    const to = jobs[1_010]?.at ?? 0;
    for (const order of ["asc", "desc"] as const) {
      const filter = `since:${iso(from)} until:${iso(to)} type:absent`;
      const { ids, examined } = await searchAll(store, filter, order);
      expect(ids).toEqual([]);
      expect(examined).toBeGreaterThanOrEqual(10);
      expect(examined).toBeLessThan(300);
    }
  });

  it("looks at the jobs of a worker, a sequence or a tree only", async () => {
    const store = await anOperator();
    const { operator, steps } = store;
    for (let count = 0; count < 300; count++) await steps.createCompleted();
    const running = await steps.createRunning({ typeName: "mine" }, { workerId: "w-1" });
    for (const filter of ["worker:w-1", `seq:${running.id}`, `root:${running.id}`]) {
      const { items, examined } = await operator.listJobs({ filter });
      expect([filter, items.map(({ id }) => id)]).toEqual([filter, [running.id]]);
      if (!filter.startsWith("worker")) expect(examined).toBe(1);
    }
  });
});
