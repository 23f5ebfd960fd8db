import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  type NotifyAdapter,
} from "queuert";
import { wrapNotifyAdapterWithLogging, wrapStateAdapterWithLogging } from "queuert/internal";
import { expect, it } from "vitest";

type Store = ReturnType<typeof createInProcessStateAdapter>;

const fail = (): Promise<never> => Promise.reject(new Error("away"));

it("what a store rejects with is told, and goes on to the caller", async () => {
  const told: unknown[] = [];
  const broken: Store = { ...createInProcessStateAdapter(), getJobs: fail };
  const adapter = wrapStateAdapterWithLogging(broken, (operation, error) =>
    told.push([operation, error]),
  );
  await expect(adapter.getJobs({ ids: ["a"] })).rejects.toThrow("away");
  expect(told).toEqual([["getJobs", new Error("away")]]);
  await expect(adapter.getSequences({ ids: ["a"] })).resolves.toEqual([undefined]);
  expect(told).toHaveLength(1);
});

it("what runs the caller's own code is handed on as it is", async () => {
  const told: unknown[] = [];
  const broken: Store = { ...createInProcessStateAdapter(), isInTransaction: fail };
  const adapter = wrapStateAdapterWithLogging(broken, (operation) => told.push(operation));
  await expect(adapter.runInTransaction(fail)).rejects.toThrow("away");
  await expect(adapter.provideContext(fail)).rejects.toThrow("away");
  await expect(adapter.isInTransaction({ transaction: null } as never)).rejects.toThrow("away");
  expect(told).toEqual([]);
});

it("what a transport throws is told, and is a rejection", async () => {
  const told: unknown[] = [];
  const broken: NotifyAdapter = {
    ...createInProcessNotifyAdapter(),
    notifyJobScheduled: (): never => {
      throw new Error("away");
    },
  };
  const adapter = wrapNotifyAdapterWithLogging(broken, (operation) => told.push(operation));
  await expect(adapter.notifyJobScheduled([])).rejects.toThrow("away");
  expect(told).toEqual(["notifyJobScheduled"]);
});
