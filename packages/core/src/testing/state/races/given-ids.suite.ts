import { expect } from "vitest";
import { aJob } from "../../factories.ts";
import { interleavings, nameInterleaving, race } from "../../race.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import { only } from "../../steps.ts";

const starters = 16;

export const givenIdsRaceSuite: StateSuite = defineStateSuite("races, given ids", (rule) => {
  for (const interleaving of interleavings) {
    const order = nameInterleaving(interleaving);
    rule(
      `An id that another open transaction stores: waits for it, then matches (committed) or creates (rolled back): ${order}`,
      async (test) => {
        const { steps, stateAdapter, secondStateAdapter } = test;
        const id = await steps.absentId();
        const start = (adapter: typeof stateAdapter, context: object, input: string) =>
          adapter.createJobs({ context, jobs: [aJob({ id, input }), aJob({ id, input })] });
        const { first, second } = await race(test, {
          ...interleaving,
          first: (_inside, context) => start(stateAdapter, context, "1"),
          second: (_inside, context) => start(secondStateAdapter, context, "2"),
        });
        const isFirstStored = first !== undefined;
        if (isFirstStored) expect(first.map((one) => one.deduplicated)).toEqual([false, true]);
        expect(second?.map((one) => one.deduplicated)).toEqual([isFirstStored, true]);
        expect(second?.map(({ job }) => job.input)).toEqual(
          isFirstStored ? ["1", "1"] : ["2", "2"],
        );
        const stored = await steps.acquire({ limit: 5 });
        expect(stored.map(({ job }) => job.id)).toEqual([id]);
      },
    );

    rule(
      `A job of the id that another open transaction deletes: waits for it, then creates (committed) or matches (rolled back): ${order}`,
      async (test) => {
        const { steps, stateAdapter } = test;
        const id = await steps.absentId();
        const old = await steps.createOne({ id, input: '"old"' });
        const { first, second } = await race(test, {
          ...interleaving,
          first: (_inside, context) =>
            stateAdapter.deleteSequences({ context, rootSequenceIds: [id] }),
          second: (inside) => inside.createOne({ id, input: '"new"' }),
        });
        expect(first?.kind).toBe(interleaving.firstEnds === "commit" ? "deleted" : undefined);
        expect(second?.input).toBe(interleaving.firstEnds === "rollback" ? old.input : '"new"');
        const stored = await steps.acquire({ limit: 5 });
        expect(stored.map(({ job }) => job.input)).toEqual([second?.input]);
      },
    );
  }

  rule(`${starters} starts of one id at once make one sequence`, async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const id = await steps.absentId();
    const created = await Promise.all(
      Array.from({ length: starters }, async (_, index) => {
        const adapter = index % 2 === 0 ? stateAdapter : secondStateAdapter;
        return only(await adapter.createJobs({ jobs: [aJob({ id, input: String(index) })] }));
      }),
    );
    expect(created.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    expect(new Set(created.map(({ job }) => job.input)).size).toBe(1);
    expect(await steps.acquire({ limit: starters })).toHaveLength(1);
  });

  rule("two calls with the same ids in opposite orders", async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const ids = await Promise.all(Array.from({ length: 20 }, () => steps.absentId()));
    const start = (adapter: typeof stateAdapter, order: readonly string[]) =>
      adapter.createJobs({ jobs: order.map((id) => aJob({ id })) });
    const all = await Promise.all([
      start(stateAdapter, ids),
      start(secondStateAdapter, ids.toReversed()),
      start(stateAdapter, ids.toReversed()),
      start(secondStateAdapter, ids),
    ]);
    expect(all.flat().filter(({ deduplicated }) => !deduplicated)).toHaveLength(ids.length);
    expect(await steps.acquire({ limit: 50 })).toHaveLength(ids.length);
  });
});
