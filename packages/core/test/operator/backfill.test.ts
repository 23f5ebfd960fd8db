import { InvalidOptionError, ScheduleNotFoundError, TooManyTicksError } from "queuert";
import { PlanRefusedError, ReadOnlyOperatorError } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { anOperator, type OperatedStore } from "./a-client.ts";

interface Client {
  upsertSchedules(options: object): Promise<unknown>;
  backfillSchedule(options: object): Promise<unknown>;
}

const hourMs = 3_600_000;
/** The clock of the store stands at midnight. */
const midnight = Date.UTC(2030, 0, 1);
const range = {
  name: "hourly",
  from: new Date(midnight - 3 * hourMs),
  to: new Date(midnight),
} as const;
const instants = [3, 2, 1].map((hours) => new Date(midnight - hours * hourMs));

const hourly = { name: "hourly", typeName: "report", input: null, cron: "0 * * * *" };

const aSchedule = async (
  changes: object = {},
): Promise<OperatedStore & { readonly client: Client }> => {
  const store = await anOperator();
  const client = store.queuert as Client;
  await client.upsertSchedules({ schedules: [{ ...hourly, ...changes }] });
  return { ...store, client };
};

const startedOf = async ({ operator }: OperatedStore): Promise<readonly unknown[]> => {
  const { ticks = [] } = (await operator.getSchedule({ name: "hourly" })) ?? {};
  return ticks.filter(({ outcome }) => outcome === "started").map(({ at }) => at.getTime());
};

describe("a backfill of an operator", () => {
  it("is previewed, planned and applied once, and recorded with its user", async () => {
    const store = await aSchedule();
    const { operator } = store;
    expect(await operator.previewBackfill(range)).toEqual({
      count: 3,
      handledCount: 0,
      first: instants,
      last: instants[2],
    });
    const plan = await operator.planBackfill({ ...range, user: "ada" });
    expect(plan).toMatchObject({
      action: "backfill",
      count: 3,
      confirm: "count",
      refused: [],
      instants: { first: instants, last: instants[2] },
    });
    expect(await startedOf(store)).toEqual([]);
    const result = await operator.apply({ token: plan.token, count: 3, user: "ada" });
    expect(result).toMatchObject({ action: "backfill", done: 3, refused: 0, total: 3 });
    expect(new Set(await startedOf(store))).toEqual(new Set(instants.map((at) => at.getTime())));
    const [action] = await operator.listActions();
    expect(action).toMatchObject({
      ...{ action: "backfill", user: "ada", count: 3, done: 3 },
      filter: `schedule:"hourly" since:2029-12-31T21:00:00.000Z until:2030-01-01T00:00:00.000Z`,
    });
    const again = operator.apply({ token: plan.token, count: 3, user: "ada" });
    await expect(again).rejects.toBeInstanceOf(PlanRefusedError);
    const other = await operator.planBackfill({ ...range, user: "ada" });
    expect(other).toMatchObject({
      count: 0,
      refused: [{ reason: "handled_before", count: 3 }],
    });
  });

  it("needs its number, its user, and an operator that may write", async () => {
    const store = await aSchedule();
    const { operator, open } = store;
    const { token } = await operator.planBackfill({ ...range, user: "ada" });
    for (const wrong of [{ user: "ada" }, { count: 2, user: "ada" }, { count: 3, user: "eve" }]) {
      await expect(operator.apply({ token, ...wrong })).rejects.toBeInstanceOf(PlanRefusedError);
    }
    const reading = open({ readOnly: true }).planBackfill(range);
    await expect(reading).rejects.toBeInstanceOf(ReadOnlyOperatorError);
    expect(await startedOf(store)).toEqual([]);
  });

  it("starts nothing of a schedule whose timing was changed since", async () => {
    const store = await aSchedule();
    const { token } = await store.operator.planBackfill(range);
    await store.client.upsertSchedules({ schedules: [{ ...hourly, cron: "*/20 * * * *" }] });
    const result = await store.operator.apply({ token, count: 3 });
    expect(result.done).toBe(0);
    expect(new Set(result.refusedJobs.map(({ reason }) => reason))).toEqual(
      new Set(["schedule_changed"]),
    );
    expect(await startedOf(store)).toEqual([]);
  });

  it("leaves out the instants that were started since", async () => {
    const store = await aSchedule();
    const { token } = await store.operator.planBackfill(range);
    const [from, to] = [instants[1], instants[2]];
    await store.client.backfillSchedule({ name: "hourly", from, to });
    expect(await store.operator.apply({ token, count: 3 })).toMatchObject({ done: 2, total: 3 });
    expect(await startedOf(store)).toHaveLength(3);
  });

  it("follows the overlap that was planned", async () => {
    const store = await aSchedule();
    const { token } = await store.operator.planBackfill({ ...range, overlap: "skip" });
    const { done, refusedJobs } = await store.operator.apply({ token, count: 3 });
    expect(done).toBe(1);
    expect(refusedJobs).toEqual(
      instants.slice(1).map((at) => ({ id: at.toISOString(), reason: "skipped" })),
    );
  });

  it("goes in steps, and stops between two of them", async () => {
    const store = await aSchedule({ cron: "* * * * *" });
    const long = { ...range, from: new Date(midnight - 20 * hourMs) };
    const { token, count } = await store.operator.planBackfill(long);
    expect(count).toBe(1_200);
    const stop = new AbortController();
    const result = await store.operator.apply({
      ...{ token, count },
      signal: stop.signal,
      onProgress: ({ done }) => {
        if (done === 1_000) stop.abort();
      },
    });
    expect(result).toMatchObject({ done: 1_000, total: 1_200, isStopped: true });
    const preview = await store.operator.previewBackfill(long);
    expect(preview).toMatchObject({ count: 200, handledCount: 1_000 });
  });

  it("refuses the future, an unknown schedule, and too many instants", async () => {
    const { operator } = await aSchedule({ cron: "* * * * * *" });
    const errorOf = (changes: object): Promise<unknown> =>
      operator.previewBackfill({ ...range, ...changes }).then(
        () => null,
        (error: unknown) => error,
      );
    expect(await errorOf({ to: new Date(midnight + 1) })).toBeInstanceOf(InvalidOptionError);
    expect(await errorOf({ name: "other" })).toBeInstanceOf(ScheduleNotFoundError);
    expect(await errorOf({})).toBeInstanceOf(TooManyTicksError);
    const late = operator.planBackfill({ ...range, to: new Date(midnight + 1) });
    await expect(late).rejects.toBeInstanceOf(InvalidOptionError);
  });
});
