import { expect } from "vitest";
import { aJob, aKey } from "../../factories.ts";
import { interleavings, nameInterleaving, race } from "../../race.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import { only } from "../../steps.ts";
import { within } from "../../waiting.ts";

const starters = 16;

export const deduplicationRaceSuite: StateSuite = defineStateSuite(
  "races, deduplication",
  (rule) => {
    for (const interleaving of interleavings) {
      rule(
        `A key held by another open transaction: waits for it, then matches (committed) or creates (rolled back): ${nameInterleaving(interleaving)}`,
        async (test) => {
          const start = (input: string) => ({ input, deduplication: aKey("k") });
          const { first, second } = await race(test, {
            ...interleaving,
            first: (inside) => inside.createOne(start("1")),
            second: (inside) => inside.createOne(start("2")),
          });
          if (first === undefined) expect(second?.input).toBe("2");
          else expect(second?.id).toBe(first.id);
          const stored = await test.steps.acquire({ limit: 5 });
          expect(stored.map(({ job }) => job.id)).toEqual([second?.id]);
        },
      );
    }

    for (const strategy of ["completed", "all"] as const) {
      rule(
        `${starters} starts at once with one key make one sequence: "${strategy}"`,
        async (test) => {
          const { steps, stateAdapter, secondStateAdapter } = test;
          const deduplication = aKey("k", { strategy });
          const created = await Promise.all(
            Array.from({ length: starters }, async (_, index) => {
              const adapter = index % 2 === 0 ? stateAdapter : secondStateAdapter;
              const jobs = [aJob({ deduplication, input: String(index) })];
              return only(await adapter.createJobs({ jobs }));
            }),
          );
          expect(new Set(created.map(({ job }) => job.id)).size).toBe(1);
          expect(created.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
          expect(await steps.acquire({ limit: starters })).toHaveLength(1);
        },
      );
    }

    for (const firstEnds of ["commit", "rollback"] as const) {
      rule(
        `${starters} transactions with one key, while the first holds it and then ends with a ${firstEnds}`,
        async (test) => {
          const { steps, stateAdapter, secondStateAdapter, holdTransaction } = test;
          const start = (inside: typeof steps) => inside.createOne({ deduplication: aKey("k") });
          const holder = holdTransaction(stateAdapter, start);
          await within(holder.operated, "the holder of the key");
          const others = Array.from({ length: starters }, (_, index) => {
            const other = holdTransaction(
              index % 2 === 0 ? secondStateAdapter : stateAdapter,
              start,
            );
            other.end("commit");
            return other.done;
          });
          await test.settlesOrWaits(Promise.any(others));
          holder.end(firstEnds);
          const held = await within(holder.done, "the holder's end");
          const ids = (await within(Promise.all(others), "the other starts")).map((job) => job?.id);
          expect(new Set(ids).size).toBe(1);
          if (firstEnds === "commit") expect(ids[0]).toBe(held?.id);
          expect(await steps.acquire({ limit: 2 * starters })).toHaveLength(1);
        },
      );
    }

    rule("a start while the sequence of its key completes gets it, or a new one", async (test) => {
      const { steps } = test;
      for (const interleaving of interleavings) {
        const typeName = nameInterleaving(interleaving);
        const first = { typeName, deduplication: aKey("k") };
        const holder = await steps.createRunning(first);
        const { second } = await race(test, {
          ...interleaving,
          first: (inside) => inside.complete(holder),
          second: (inside) => inside.createOne(first),
        });
        const { status } = await steps.get(holder);
        if (status === "running") expect(second?.id).toBe(holder.id);
        // With the completion committed, one more start must find an unfinished sequence or make one; never two.
        const again = await steps.createOne(first);
        if (second?.id !== holder.id) expect(again.id).toBe(second?.id);
      }
    });

    for (const interleaving of interleavings) {
      const order = nameInterleaving(interleaving);
      rule(
        `A sequence of the key that another open transaction deletes: waits for it, then creates (committed) or matches (rolled back): ${order}`,
        async (test) => {
          const { steps, stateAdapter } = test;
          const fields = { deduplication: aKey("k") };
          const old = await steps.createOne(fields);
          const rootSequenceIds = [old.id];
          const { first, second } = await race(test, {
            ...interleaving,
            first: (_inside, context) => stateAdapter.deleteSequences({ context, rootSequenceIds }),
            second: (inside) => inside.createOne(fields),
          });
          expect(first?.kind).toBe(interleaving.firstEnds === "commit" ? "deleted" : undefined);
          expect(second?.id === old.id).toBe(interleaving.firstEnds === "rollback");
          const stored = await steps.acquire({ limit: 5 });
          expect(stored.map(({ job }) => job.id)).toEqual([second?.id]);
        },
      );
    }

    for (const ends of ["commit", "rollback"] as const) {
      rule(
        `A deletion that begins after the match comes after this call, whichever commits first: the start ends with a ${ends}`,
        async (test) => {
          const { steps, stateAdapter, secondStateAdapter, holdTransaction } = test;
          const fields = { deduplication: aKey("k") };
          const old = await steps.createOne(fields);
          const rootSequenceIds = [old.id];
          const starting = holdTransaction(stateAdapter, (inside) => inside.createOne(fields));
          await within(starting.operated, "the start");
          const deleting = holdTransaction(secondStateAdapter, (_inside, context) =>
            secondStateAdapter.deleteSequences({ context, rootSequenceIds }),
          );
          deleting.end("commit");
          await test.settlesOrWaits(deleting.done);
          starting.end(ends);
          const started = await within(starting.done, "the start's end");
          expect(started?.id).toBe(ends === "commit" ? old.id : undefined);
          expect((await within(deleting.done, "the deletion"))?.kind).toBe("deleted");
          expect(await stateAdapter.getJobs({ ids: rootSequenceIds })).toEqual([undefined]);
        },
      );
    }

    rule(
      "a failed sequence is retried while its key is started anew: one of them holds it",
      async (test) => {
        const { steps, stateAdapter, secondStateAdapter } = test;
        for (const interleaving of interleavings) {
          const fields = { typeName: nameInterleaving(interleaving), deduplication: aKey("k") };
          const failed = await steps.createFailed(fields);
          await race(test, {
            ...interleaving,
            first: (_inside, context) =>
              stateAdapter.retryFailedJobs({ context, ids: [failed.id] }),
            second: (inside) => inside.createOne(fields),
          });
          expect(await steps.acquire({ typeName: fields.typeName, limit: 5 })).toHaveLength(1);

          const other = { ...fields, typeName: `${fields.typeName}, the start first` };
          const failedToo = await steps.createFailed(other);
          const { first } = await race(test, {
            ...interleaving,
            first: (inside) => inside.createOne(other),
            second: (_inside, context) =>
              secondStateAdapter.retryFailedJobs({ context, ids: [failedToo.id] }),
          });
          const acquired = await steps.acquire({ typeName: other.typeName, limit: 5 });
          expect(acquired).toHaveLength(1);
          if (first === undefined) expect(acquired[0]?.job.id).toBe(failedToo.id);
        }
      },
    );
  },
);
