import { InvalidFilterError } from "queuert/operator";
import { LimitsUnsupportedError } from "queuert";
import { describe, expect, it } from "vitest";
import { acquireOf, keysOf, manyUnder, setLimit } from "../../src/testing/state/limit-key-steps.ts";
import { anOperator, type OperatedStore } from "./a-client.ts";

/** Key `a` is full, `b` waits, `c` has no tokens, `d` is paused and `e` has nothing to do. */
const withKeys = async (): Promise<OperatedStore> => {
  const operated = await anOperator();
  const { state, steps } = operated;
  await setLimit(state, { perKey: { concurrency: 1, rate: null } });
  await steps.create(...manyUnder("a", 3), ...manyUnder("c", 2), ...manyUnder("d", 1));
  const rate = { count: 1, perMs: 1e6, burst: 1 };
  const forEver = { forMs: null, note: "unpaid", extends: false };
  await keysOf(state).setLimitKeys({
    keys: [
      { limitName: "task", key: "c", bounds: { concurrency: 9, rate, weight: 2 } },
      { limitName: "task", key: "d", pause: forEver },
      { limitName: "task", key: "e", bounds: { concurrency: 1, rate: null, weight: 1 } },
    ],
  });
  await acquireOf(state, ["task"]);
  await steps.create(...manyUnder("b", 2));
  return operated;
};

describe("the keys of a limit", () => {
  it("are listed in pages, each with its use and its turn", async () => {
    const { operator } = await withKeys();
    expect(operator.features.limitKeys).toBe(true);
    const page = await operator.listLimitKeys({ limitName: "task", limit: 3 });
    expect(page.items).toMatchObject([
      { key: "a", turn: "full", running: 1, pending: 2, concurrency: 1 },
      { key: "b", turn: "waits", running: 0, pending: 2 },
      { key: "c", turn: "no_tokens", running: 1, pending: 1, weight: 2, hasOwnBounds: true },
    ]);
    expect(page.nextKey).toBe("d");
    const last = await operator.listLimitKeys({ limitName: "task", limit: 3, fromKey: "d" });
    expect(last.items).toMatchObject([
      { key: "d", turn: "paused", pauseNote: "unpaid", pending: 1 },
      { key: "e", turn: "idle", pending: 0 },
    ]);
    expect(last.nextKey).toBeNull();
    expect((await operator.getOverview()).limits).toMatchObject([
      { name: "task", perKey: { concurrency: 1, rate: null } },
    ]);
  });

  it("are paused and resumed by a control, which is recorded", async () => {
    const { operator } = await withKeys();
    const key = { limitName: "task", key: "b", user: "ada" };
    const keyOf = async () => {
      const { items } = await operator.listLimitKeys({ limitName: "task", fromKey: "b", limit: 1 });
      return items[0];
    };
    await operator.control({ action: "pause_key", ...key, forMs: 60_000, note: "incident 88" });
    expect(await keyOf()).toMatchObject({ turn: "paused", pauseNote: "incident 88" });
    expect(await operator.control({ action: "resume_key", ...key })).toEqual({ isDone: true });
    expect(await operator.control({ action: "resume_key", ...key })).toEqual({ isDone: false });
    expect(await keyOf()).toMatchObject({ turn: "waits" });
    const actions = await operator.listActions();
    expect(actions.map(({ action, done }) => `${action} ${done}`).sort()).toEqual([
      ...["pause_key 1", "resume_key 0", "resume_key 1"],
    ]);
    expect(new Set(actions.map(({ user, filter }) => `${user} ${filter}`))).toEqual(
      new Set(['ada limit:"task" limit-key:"b"']),
    );
  });

  it("find their jobs by a filter, also beside an id or a tree, and no sequences", async () => {
    const { operator } = await withKeys();
    const find = async (filter: string) => (await operator.listJobs({ filter })).items;
    const jobs = await find("limit:task limit-key:b");
    expect(jobs.map(({ input }) => input.text)).toEqual(['"b"', '"b"']);
    const id = jobs[0]?.id ?? "";
    expect(await find(`id:${id} limit-key:b`)).toHaveLength(1);
    expect(await find(`id:${id} limit-key:a`)).toHaveLength(0);
    expect(await find(`seq:${id} limit-key:b`)).toHaveLength(1);
    expect(await find("-limit-key:a limit:task")).toHaveLength(5);
    const sequences = operator.listSequences({ filter: "limit-key:b" });
    await expect(sequences).rejects.toBeInstanceOf(InvalidFilterError);
  });

  it("are refused where the store lists none", async () => {
    const { state, open } = await anOperator();
    Object.assign(state.operator ?? {}, { listLimitKeys: undefined });
    const operator = open();
    expect(operator.features.limitKeys).toBe(false);
    const listed = operator.listLimitKeys({ limitName: "task" });
    await expect(listed).rejects.toBeInstanceOf(LimitsUnsupportedError);
  });
});
