// An acquisition of an idle process reads before it writes, and may have to wait for the writer. Each test lets another process pause,
// resume or reschedule in between.
import type { PauseTarget, StateJob } from "queuert/internal";
import { createStateSteps, within } from "queuert/testing";
import { describe, expect, it } from "vitest";
import { createSqliteStateAdapter } from "../src/index.ts";
import { aNewJob, openProvider, openStore, type SqliteTestAdapter } from "./open-store.ts";

const scopes = ["type", "limit", "key", "everything"] as const;
type Scope = (typeof scopes)[number];

const farMs = 3_600_000;
const limitKey = { limitName: "crm", key: "a", cost: 1 };

const targetOf = (scope: Exclude<Scope, "key">): PauseTarget => ({
  typeName: { type: "task", limit: "crm", everything: null }[scope],
});

const setKeyPause = async (
  { limitKeys }: SqliteTestAdapter,
  pause: { readonly forMs: number | null; readonly note: null; readonly extends: boolean } | null,
): Promise<void> => {
  if (limitKeys === undefined) throw new Error("The adapter has no `limitKeys`");
  await limitKeys.setLimitKeys({ keys: [{ limitName: "crm", key: "a", pause }] });
};

const pause = (
  adapter: SqliteTestAdapter,
  scope: Scope,
  forMs: number | null = null,
): Promise<void> =>
  scope === "key"
    ? setKeyPause(adapter, { forMs, note: null, extends: true })
    : adapter.pause({ targets: [targetOf(scope)], forMs, note: null, extends: true });

const resume = async (adapter: SqliteTestAdapter, scope: Scope): Promise<void> => {
  if (scope === "key") await setKeyPause(adapter, null);
  else expect(await adapter.resume({ targets: [targetOf(scope)] })).toEqual([true]);
};

const create = async (adapter: SqliteTestAdapter, context?: object): Promise<StateJob> => {
  const [created] = await adapter.createJobs({
    // The context is one of this adapter.
    context: context as never,
    jobs: [aNewJob({ limitKey })],
  });
  if (created === undefined) throw new Error("nothing was created");
  return created.job;
};

const take = async (adapter: SqliteTestAdapter): Promise<readonly string[]> => {
  const types = [{ typeName: "task", leaseMs: farMs, limit: 10 }];
  const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 10, types });
  return jobs.map(({ job }) => job.id);
};

/** A store, and a second process whose first write runs `between` before it. */
const openBoth = async (between: () => Promise<unknown>) => {
  const { adapter, filename } = await openStore();
  const none = { concurrency: null, rate: null, declaration: null };
  await adapter.setLimits({
    limits: [{ name: "crm", ...none, perKey: { concurrency: 5, rate: null } }],
  });
  const provider = await openProvider(filename);
  let calls = 0;
  let isOpen = false;
  const stateProvider: typeof provider = {
    ...provider,
    write: async (step) => {
      if (isOpen && calls++ === 0) await between();
      return provider.write(step);
    },
  };
  const late: SqliteTestAdapter = await createSqliteStateAdapter({ stateProvider });
  isOpen = true;
  return { adapter, late, writes: () => calls };
};

describe.each(scopes)("a pause of the %s", (scope) => {
  it("between the read and the write of an acquisition: it takes nothing", async () => {
    const { adapter, late, writes } = await openBoth(() => pause(adapter, scope));
    const { id } = await create(adapter);
    expect(await take(late)).toEqual([]);
    // It had seen the job.
    expect(writes()).toBe(1);
    expect(await take(adapter)).toEqual([]);
    await resume(adapter, scope);
    expect(await take(late)).toEqual([id]);
  });

  it("with the rescheduling of a job between them: it takes no other job of the pause", async () => {
    const running: StateJob[] = [];
    const { adapter, late, writes } = await openBoth(async () => {
      await pause(adapter, scope, farMs);
      for (const job of running)
        await createStateSteps(adapter).reschedule(job, { afterMs: farMs });
    });
    const { id } = await create(adapter);
    expect(await take(adapter)).toEqual([id]);
    running.push(...(await adapter.getJobs({ ids: [id] })).flatMap((job) => job ?? []));
    const waiting = await create(adapter);
    expect(await take(late)).toEqual([]);
    expect(writes()).toBe(1);
    expect(await adapter.getJobs({ ids: [id] })).toMatchObject([{ status: "pending" }]);
    await resume(adapter, scope);
    expect(await take(late)).toEqual([waiting.id]);
  });

  it.each(["acquisition", "end of the pause"])(
    "ends while a transaction has the writer, and the %s comes first: the job is found",
    async (first) => {
      const { adapter } = await openStore();
      // A process that has found a job writes without a read before.
      const warmUp = await create(adapter);
      expect(await take(adapter)).toEqual([warmUp.id]);
      await pause(adapter, scope);
      const calls: Promise<unknown>[] = [];
      const taken: string[] = [];
      const acquire = async (): Promise<void> => {
        taken.push(...(await take(adapter)));
      };
      const { id } = await adapter.runInTransaction(async (context) => {
        const created = await create(adapter, context);
        // In the order in which they ask for the writer.
        const inOrder = [acquire, () => resume(adapter, scope)];
        for (const call of first === "acquisition" ? inOrder : inOrder.reverse()) {
          calls.push(call());
        }
        return created;
      });
      await within(Promise.all(calls), "both calls");
      expect(taken).toEqual(first === "acquisition" ? [] : [id]);
      expect([...taken, ...(await take(adapter))]).toEqual([id]);
    },
  );
});
