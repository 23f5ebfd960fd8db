import { expect } from "vitest";
import type { ListSequencesParams } from "../../adapters/state-adapter-queries.ts";
import type { BaseStateAdapterContext } from "../../adapters/state-adapter.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const list = (
  { stateAdapter }: StateCaseContext,
  filter: Partial<ListSequencesParams<BaseStateAdapterContext>> = {},
) =>
  stateAdapter.listSequences({
    order: "asc",
    limit: 100,
    afterOrdinal: null,
    typeNames: null,
    statuses: null,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
    ...filter,
  });

const firstIds = async (...args: Parameters<typeof list>): Promise<string[]> =>
  (await list(...args)).map(({ first }) => first.id);

export const listSequencesSuite: StateSuite = defineStateSuite("listSequences", (rule) => {
  rule("One page of sequences by the `ordinal` of their first job.", async (test) => {
    const { steps } = test;
    const created = await steps.create(...Array.from({ length: 5 }, () => ({})));
    // A later job does not move its sequence.
    await steps.continueWith(await steps.acquireOne());
    for (const order of ["asc", "desc"] as const) {
      const expected = created.map(({ id }) => id);
      if (order === "desc") expected.reverse();
      const first = await list(test, { order, limit: 2 });
      const afterOrdinal = first.at(-1)?.first.ordinal ?? null;
      const rest = await list(test, { order, limit: 10, afterOrdinal });
      expect([...first, ...rest].map((each) => each.first.id)).toEqual(expected);
    }
  });

  rule("returns the first and the current job of each", async (test) => {
    const { steps } = test;
    const first = await steps.createRunning();
    const next = await steps.continueWith(first);
    const single = await steps.createOne();
    expect(await list(test)).toEqual([
      { first: await steps.get(first), current: next },
      { first: single, current: single },
    ]);
  });

  rule("`statuses` is that of the current job.", async (test) => {
    const { steps } = test;
    const first = await steps.createRunning();
    await steps.continueWith(first);
    const completed = await steps.createCompleted();
    expect(await firstIds(test, { statuses: ["pending"] })).toEqual([first.id]);
    expect(await firstIds(test, { statuses: ["completed"] })).toEqual([completed.id]);
    expect(await firstIds(test, { statuses: ["failed"] })).toEqual([]);
  });

  rule("`typeNames`: of the first job.", async (test) => {
    const { steps } = test;
    const first = await steps.createRunning();
    await steps.continueWith(first, { typeName: "next" });
    expect(await firstIds(test, { typeNames: ["task"] })).toEqual([first.id]);
    expect(await firstIds(test, { typeNames: ["next"] })).toEqual([]);
  });

  rule("by root, and by time", async (test) => {
    const { steps } = test;
    const root = await steps.createOne({ typeName: "root" });
    await steps.untilStoreTime(root.createdAt);
    const child = await steps.createOne({ rootSequenceId: root.id, originId: root.id });
    const other = await steps.createOne({ typeName: "other" });
    expect(await firstIds(test, { rootSequenceId: root.id })).toEqual([root.id, child.id]);
    expect(await firstIds(test, { createdFrom: child.createdAt })).toEqual([child.id, other.id]);
    expect(await firstIds(test, { createdTo: child.createdAt })).toEqual([root.id]);
    const all = { typeNames: ["task"], rootSequenceId: root.id, createdFrom: child.createdAt };
    expect(await firstIds(test, all)).toEqual([child.id]);
  });

  rule("a page is full although sequences between have other statuses", async (test) => {
    const { steps } = test;
    const wanted = [];
    for (let index = 0; index < 4; index += 1) {
      await steps.createCompleted({ typeName: "done" });
      wanted.push(await steps.createOne());
    }
    const page = await firstIds(test, { statuses: ["pending"], limit: 3 });
    expect(page).toEqual(wanted.slice(0, 3).map(({ id }) => id));
  });

  rule("an empty store has an empty page", async (test) => {
    expect(await list(test)).toEqual([]);
  });
});
