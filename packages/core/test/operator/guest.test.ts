import { describe, expect, it } from "vitest";
import { mapMethods } from "../../src/adapter-kit/wrap-adapters.ts";
import type { AnyStateAdapter } from "../../src/adapters/state-adapter.ts";
import { withLimitedReads } from "../../src/operator/guest/limited-reads.ts";
import { aStore } from "../in-process/a-store.ts";
import { ReadCache, ReadSlots } from "../../src/operator/guest/read-slots.ts";

describe("a guest in the pool", () => {
  it("reads at most so many at a time, in order", async () => {
    const slots = new ReadSlots(2);
    const ended: number[] = [];
    let running = 0;
    let most = 0;
    const reads = [1, 2, 3, 4, 5].map((number) =>
      slots.run(async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        ended.push(number);
        if (number === 2) throw new Error("refused");
      }),
    );
    const results = await Promise.allSettled(reads);
    expect(most).toBe(2);
    expect(ended).toEqual([1, 2, 3, 4, 5]);
    expect(results.map(({ status }) => status)).toEqual([
      ...["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"],
    ]);
  });

  it("shares a read under way, keeps its answer, and keeps a slow one for longer", async () => {
    let now = 0;
    let reads = 0;
    const cache = new ReadCache(() => now);
    const read = async (tookMs: number) => {
      now += tookMs;
      return ++reads;
    };
    expect(await Promise.all([1, 2].map(() => cache.get("a", 100, () => read(0))))).toEqual([1, 1]);
    now += 99;
    expect(await cache.get("a", 100, () => read(0))).toBe(1);
    now += 1;
    expect(await cache.get("a", 100, () => read(300))).toBe(2);
    now += 5_999;
    expect(await cache.get("a", 100, () => read(0))).toBe(2);
    now += 1;
    expect(await cache.get("a", 100, () => read(0))).toBe(3);
  });

  it("names the time of every large read, and of no write", async () => {
    const { state } = aStore();
    const times = new Map<string, unknown>();
    const record = <TMethods extends object>(methods: TMethods): TMethods =>
      mapMethods(methods, (_, name) => async (params) => {
        times.set(name, (params as { readonly timeoutMs?: number }).timeoutMs);
      });
    const { operator } = state;
    const recorded = { ...record<AnyStateAdapter>(state), operator: operator && record(operator) };
    const limited = withLimitedReads(recorded, 70) as unknown as Methods & { operator: Methods };
    type Methods = Readonly<Record<string, (params: object) => Promise<void>>>;
    for (const name of ["listJobs", "listSequences", "summarize", "getJobs", "createJobs"]) {
      await limited[name]?.({});
    }
    for (const name of Object.keys(operator ?? {})) await limited.operator[name]?.({});
    const named = [...times].flatMap(([name, time]) => (time === undefined ? [] : [[name, time]]));
    expect(named).toEqual(
      [
        ...["listJobs", "listSequences", "summarize", "examineJobs", "countJobs", "findIds"],
        ...["listDependants", "checkHealth", "countAhead", "listNext", "listMetrics"],
      ].map((name) => [name, 70]),
    );
  });

  it("keeps no failure", async () => {
    const cache = new ReadCache(() => 0);
    await expect(cache.get("a", 100, () => Promise.reject(new Error("down")))).rejects.toThrow();
    expect(await cache.get("a", 100, async () => 1)).toBe(1);
  });
});
