import { expect } from "vitest";
import type { ListJobsParams } from "../../adapters/state-adapter-queries.ts";
import type { BaseStateAdapterContext } from "../../adapters/state-adapter.ts";
import { jobStatuses } from "../../model/status.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const list = (
  { stateAdapter }: StateCaseContext,
  filter: Partial<ListJobsParams<BaseStateAdapterContext>> = {},
) =>
  stateAdapter.listJobs({
    order: "asc",
    limit: 100,
    afterOrdinal: null,
    typeNames: null,
    statuses: null,
    sequenceId: null,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
    ...filter,
  });

const idsOf = (jobs: readonly { readonly id: string }[]): string[] => jobs.map(({ id }) => id);

const pages: StateSuite = defineStateSuite("listJobs", (rule) => {
  rule(
    "One page of jobs by `ordinal`, strictly after `afterOrdinal` in the given order.",
    async (test) => {
      const created = await test.steps.create(...Array.from({ length: 7 }, () => ({})));
      for (const order of ["asc", "desc"] as const) {
        const expected = order === "asc" ? created : [...created].reverse();
        const seen = [];
        let afterOrdinal: number | null = null;
        for (const size of [3, 3, 1, 0]) {
          const page = await list(test, { order, limit: 3, afterOrdinal });
          expect(page).toHaveLength(size);
          seen.push(...page);
          afterOrdinal = page.at(-1)?.ordinal ?? afterOrdinal;
        }
        expect(seen).toEqual(expected);
      }
    },
  );

  rule("jobs that come or go between pages shift nothing", async (test) => {
    const { steps, stateAdapter, runInTransaction } = test;
    const created = await steps.create(...Array.from({ length: 6 }, () => ({})));
    const first = await list(test, { limit: 3 });
    await runInTransaction((context) =>
      stateAdapter.deleteSequences({ context, rootSequenceIds: idsOf(first) }),
    );
    const late = await steps.createOne();
    const rest = await list(test, { afterOrdinal: first.at(-1)?.ordinal ?? null });
    expect(idsOf(rest)).toEqual([...idsOf(created.slice(3)), late.id]);
  });

  rule("an empty store has an empty page", async (test) => {
    expect(await list(test)).toEqual([]);
  });
});

const filters: StateSuite = defineStateSuite("listJobs, filters", (rule) => {
  rule("by type", async (test) => {
    const { steps } = test;
    const [a, b] = await steps.create({ typeName: "a" }, { typeName: "b" }, { typeName: "c" });
    expect(idsOf(await list(test, { typeNames: ["b", "a"] }))).toEqual([a?.id, b?.id]);
    expect(await list(test, { typeNames: ["absent"] })).toEqual([]);
    expect(await list(test, { typeNames: [] })).toEqual([]);
  });

  rule("by the type of the sequence", async (test) => {
    const { steps } = test;
    const first = await steps.createRunning({ typeName: "a" });
    const next = await steps.continueWith(first, { typeName: "b" });
    const other = await steps.createOne({ typeName: "b" });
    const c = await steps.createOne({ typeName: "c" });
    expect(idsOf(await list(test, { sequenceTypeNames: ["a"] }))).toEqual([first.id, next.id]);
    expect(idsOf(await list(test, { sequenceTypeNames: ["b"] }))).toEqual([other.id]);
    expect(idsOf(await list(test, { sequenceTypeNames: ["c", "b"] }))).toEqual([other.id, c.id]);
    expect(idsOf(await list(test, { sequenceTypeNames: ["a"], typeNames: ["b"] }))).toEqual([
      next.id,
    ]);
    const page = { sequenceTypeNames: ["a"], order: "desc", limit: 1 } as const;
    expect(idsOf(await list(test, page))).toEqual([next.id]);
    expect(idsOf(await list(test, { ...page, afterOrdinal: next.ordinal }))).toEqual([first.id]);
    expect(await list(test, { sequenceTypeNames: ["absent"] })).toEqual([]);
    expect(await list(test, { sequenceTypeNames: [] })).toEqual([]);
    expect(await list(test, { sequenceTypeNames: null })).toHaveLength(4);
  });

  rule("by status, each and several", async (test) => {
    const { steps } = test;
    const pending = await steps.createOne({ typeName: "pending" });
    const byStatus = {
      blocked: await steps.createBlocked([pending]),
      pending,
      running: await steps.createRunning({ typeName: "running" }),
      completed: await steps.createCompleted({ typeName: "completed" }),
      failed: await steps.createFailed({ typeName: "failed" }),
      cancelled: await steps.createCancelled({ typeName: "cancelled" }),
    };
    for (const status of jobStatuses) {
      expect(idsOf(await list(test, { statuses: [status] }))).toEqual([byStatus[status].id]);
    }
    const finished = await list(test, { statuses: ["failed", "completed"] });
    expect(idsOf(finished).sort()).toEqual([byStatus.completed.id, byStatus.failed.id].sort());
    expect(await list(test, { statuses: [] })).toEqual([]);
    expect(await list(test, { statuses: jobStatuses })).toHaveLength(6);
  });

  rule("by sequence and by root", async (test) => {
    const { steps } = test;
    const root = await steps.createRunning({ typeName: "root" });
    const next = await steps.continueWith(root);
    const child = await steps.createOne({ rootSequenceId: root.id, originId: root.id });
    await steps.createOne({ typeName: "other" });
    expect(idsOf(await list(test, { sequenceId: root.id }))).toEqual([root.id, next.id]);
    expect(idsOf(await list(test, { rootSequenceId: root.id }))).toEqual([
      root.id,
      next.id,
      child.id,
    ]);
    expect(await list(test, { sequenceId: next.id })).toEqual([]);
    expect(await list(test, { rootSequenceId: await steps.absentId() })).toEqual([]);
  });

  rule("Times are `createdAt`: from inclusive, to exclusive.", async (test) => {
    const { steps } = test;
    const first = await steps.createOne();
    await steps.untilStoreTime(first.createdAt);
    const second = await steps.createOne();
    await steps.untilStoreTime(second.createdAt);
    const third = await steps.createOne();
    const between = { createdFrom: second.createdAt, createdTo: third.createdAt };
    expect(idsOf(await list(test, between))).toEqual([second.id]);
    expect(idsOf(await list(test, { createdFrom: second.createdAt }))).toEqual([
      second.id,
      third.id,
    ]);
    expect(idsOf(await list(test, { createdTo: second.createdAt }))).toEqual([first.id]);
  });

  rule("Every field narrows; null does not.", async (test) => {
    const { steps } = test;
    const wanted = await steps.createOne({ typeName: "a" });
    await steps.createRunning({ typeName: "b" });
    await steps.createOne({ typeName: "c" });
    const found = await list(test, {
      typeNames: ["a", "b"],
      statuses: ["pending"],
      rootSequenceId: wanted.id,
      sequenceId: wanted.id,
      createdFrom: new Date(0),
      createdTo: new Date(Date.UTC(9999, 0)),
      order: "desc",
    });
    expect(found).toEqual([wanted]);
    expect(await list(test)).toHaveLength(3);
  });
});

export const listJobsSuites: readonly StateSuite[] = [pages, filters];
