import { describe, expect, it } from "vitest";
import { createInProcessNotifyAdapter } from "../../src/in-process/create-in-process-notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/create-in-process-state-adapter.ts";
import {
  createFlakyStateAdapter,
  createLossyNotifyAdapter,
  createPoisonableStateAdapter,
  createStateSteps,
  seededRandom,
  sleep,
  TransientFaultError,
  watchLeaks,
} from "../../src/testing.ts";

describe("createFlakyStateAdapter", () => {
  const failures = async (seed: number): Promise<string[]> => {
    const random = seededRandom(seed);
    const { stateAdapter } = createFlakyStateAdapter(createInProcessStateAdapter(), {
      random,
      rate: 0.5,
    });
    const steps = createStateSteps(stateAdapter);
    const messages: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      await steps.createOne().catch((error: unknown) => messages.push(String(error)));
    }
    return messages;
  };

  it("fails alike for the same seed, and otherwise for another", async () => {
    const first = await failures(1);
    expect(await failures(1)).toEqual(first);
    expect(await failures(2)).not.toEqual(first);
    expect(first.length).toBeGreaterThan(5);
    expect(first.length).toBeLessThan(35);
  });

  it("fails before a statement, which then has not been run, or after it", async () => {
    for (const when of ["before", "after"] as const) {
      const store = createInProcessStateAdapter();
      const { stateAdapter, faults } = createFlakyStateAdapter(store, {
        random: () => 0,
        rate: 1,
        when,
      });
      const error = await createStateSteps(stateAdapter)
        .createOne()
        .then(null, (e: unknown) => e);
      expect(error).toBeInstanceOf(TransientFaultError);
      expect(error).toMatchObject({ afterStatement: when === "after", code: "ECONNRESET" });
      const acquired = await createStateSteps(store).acquire();
      expect(acquired).toHaveLength(when === "after" ? 1 : 0);
      expect(faults.count()).toBe(1);
      faults.pause();
      expect((await createStateSteps(stateAdapter).createOne()).status).toBe("pending");
    }
  });

  it("takes a transaction down with a statement that fails in it", async () => {
    const store = createInProcessStateAdapter();
    const { stateAdapter } = createFlakyStateAdapter(store, {
      random: () => 0,
      rate: 1,
      when: "after",
      methods: ["createJobs"],
    });
    const transaction = stateAdapter.runInTransaction((context) =>
      createStateSteps(stateAdapter, context).createOne(),
    );
    await expect(transaction).rejects.toBeInstanceOf(TransientFaultError);
    expect(await createStateSteps(store).acquire()).toEqual([]);
  });
});

describe("createPoisonableStateAdapter", () => {
  it("refuses everything in a poisoned transaction, and its commit", async () => {
    const store = createInProcessStateAdapter();
    const { stateAdapter, poisonTransaction } = createPoisonableStateAdapter(store);
    const transaction = stateAdapter.runInTransaction(async (context) => {
      const steps = createStateSteps(stateAdapter, { ...context });
      await steps.createOne();
      poisonTransaction(context);
      await expect(steps.createOne()).rejects.toThrow("aborted");
    });
    await expect(transaction).rejects.toThrow("commit");
    expect(await createStateSteps(store).acquire()).toEqual([]);
    const job = await stateAdapter.runInTransaction((context) =>
      createStateSteps(stateAdapter, context).createOne(),
    );
    expect((await createStateSteps(stateAdapter).get(job)).id).toBe(job.id);
  });
});

describe("createLossyNotifyAdapter", () => {
  const tell = async (options: { loses?: number; repeats?: number; delays?: number }) => {
    const adapter = createLossyNotifyAdapter(createInProcessNotifyAdapter(), {
      random: seededRandom(1),
      delayMsMax: 5,
      ...options,
    });
    const calls: string[] = [];
    await adapter.listenJobSequenceCompleted({
      sequenceIds: ["s"],
      onSequenceCompleted: (id) => calls.push(id),
    });
    await adapter.notifyJobSequenceCompleted(["s"]);
    const atOnce = calls.length;
    await sleep(40);
    await adapter.close();
    return { atOnce, inTheEnd: calls.length };
  };

  it("passes on calls without a fault", async () => {
    expect(await tell({})).toEqual({ atOnce: 1, inTheEnd: 1 });
  });

  it("loses, repeats and delays", async () => {
    expect(await tell({ loses: 1 })).toEqual({ atOnce: 0, inTheEnd: 0 });
    expect(await tell({ repeats: 1 })).toEqual({ atOnce: 1, inTheEnd: 2 });
    expect(await tell({ delays: 1 })).toEqual({ atOnce: 0, inTheEnd: 1 });
  });

  it("rejects", async () => {
    const adapter = createLossyNotifyAdapter(createInProcessNotifyAdapter(), {
      random: seededRandom(1),
      rejects: 1,
    });
    await expect(adapter.notifyJobOwnershipLost(["j"])).rejects.toBeInstanceOf(TransientFaultError);
  });
});

describe("watchLeaks", () => {
  it("names a timer that was left, and a listener", async () => {
    const timers = watchLeaks();
    const timer = setTimeout(() => undefined, 60_000);
    await expect(timers.expectNothingLeft(50)).rejects.toThrow("Timeout");
    clearTimeout(timer);
    await timers.expectNothingLeft();

    const listeners = watchLeaks();
    const listener = (): void => undefined;
    process.on("SIGHUP", listener);
    await expect(listeners.expectNothingLeft(50)).rejects.toThrow('process.on("SIGHUP")');
    process.off("SIGHUP", listener);
    await listeners.expectNothingLeft();
  });

  it("waits for resources that are about to close", async () => {
    const watch = watchLeaks();
    setTimeout(() => undefined, 30);
    await watch.expectNothingLeft(5_000);
  });
});
