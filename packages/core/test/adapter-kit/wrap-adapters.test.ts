import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  type NotifyAdapter,
} from "queuert";
import {
  wrapNotifyAdapterWithLogging,
  wrapStateAdapterWithLogging,
  wrapStateAdapterWithRetry,
} from "queuert/internal";
import { expect, it } from "vitest";

type Store = ReturnType<typeof createInProcessStateAdapter>;

const fail = (): Promise<never> => Promise.reject(new Error("away"));

it("an error of a store is reported, and reaches the caller", async () => {
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

it("a function of the caller's is passed on as it is", async () => {
  const told: unknown[] = [];
  const broken: Store = { ...createInProcessStateAdapter(), isInTransaction: fail };
  const adapter = wrapStateAdapterWithLogging(broken, (operation) => told.push(operation));
  await expect(adapter.runInTransaction(fail)).rejects.toThrow("away");
  await expect(adapter.provideContext(fail)).rejects.toThrow("away");
  await expect(adapter.isInTransaction({ transaction: null } as never)).rejects.toThrow("away");
  expect(told).toEqual([]);
});

it("an error that a transport throws is reported, and is a rejection", async () => {
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

it("a call about keys of limits is repeated after a transient error, too", async () => {
  const store = createInProcessStateAdapter();
  const { limitKeys } = store;
  if (limitKeys === undefined) throw new Error("the store keeps no keys");
  let calls = 0;
  const failOnce: typeof limitKeys.getLimitKeys = (params) =>
    ++calls === 1 ? fail() : limitKeys.getLimitKeys(params);
  const adapter = wrapStateAdapterWithRetry<object, object, string, typeof store>(
    { ...store, limitKeys: { ...limitKeys, getLimitKeys: failOnce } },
    { initialDelayMs: 1, isRetryable: () => true },
  );
  await expect(adapter.limitKeys?.getLimitKeys({ limitName: "task", keys: [] })).resolves.toEqual(
    [],
  );
  expect(calls).toBe(2);
});
