import { expect } from "vitest";
import type { NotifyAdapter } from "../../adapters/notify-adapter.ts";
import { defineNotifySuite } from "../notify-harness.ts";
import type { NotifySuite } from "../notify-harness.ts";
import { eventually, graceMs, sleep } from "../waiting.ts";
import {
  listenForLosses,
  listenForSequences,
  listenForTypes,
  newId,
  untilTold,
} from "./listening.ts";

const newStoreId = (): string => newId().replaceAll("-", "").slice(0, 16);

const bind = (adapter: NotifyAdapter, storeId: string): void => {
  expect(adapter.bindStore).toBeTypeOf("function");
  adapter.bindStore?.({ storeId, onError: () => undefined });
};

const listenToAll = async (adapter: NotifyAdapter, id: string) => ({
  types: await listenForTypes(adapter, ["mail"], () => 5),
  sequences: await listenForSequences(adapter, [id]),
  losses: await listenForLosses(adapter),
});

const notifyAll = async (adapter: NotifyAdapter, id: string): Promise<void> => {
  await adapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
  await adapter.notifyJobSequenceCompleted([id]);
  await adapter.notifyJobOwnershipLost([id]);
};

export const storesSuite: NotifySuite = defineNotifySuite("notify, stores", (rule) => {
  rule(
    "Two stores on one broker do not receive each other's notifications.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const id = newId();
      bind(notifyAdapter, newStoreId());
      bind(secondNotifyAdapter, newStoreId());
      const { types, sequences, losses } = await listenToAll(secondNotifyAdapter, id);
      await notifyAll(notifyAdapter, id);
      await sleep(graceMs * 2);
      expect([types, sequences, losses].flatMap(({ calls }) => calls)).toEqual([]);
      await Promise.all([types.stop(), sequences.stop(), losses.stop()]);
    },
  );

  rule(
    "adapters of one store receive each other's notifications",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const id = newId();
      const storeId = newStoreId();
      bind(notifyAdapter, storeId);
      bind(secondNotifyAdapter, storeId);
      const { types, sequences, losses } = await listenToAll(secondNotifyAdapter, id);
      await notifyAll(notifyAdapter, id);
      await untilTold(types, "mail");
      await untilTold(sequences, id);
      await untilTold(losses, id);
      await Promise.all([types.stop(), sequences.stop(), losses.stop()]);
    },
  );

  rule(
    "the jobs of one store wake its own workers, and no worker of another store",
    async ({ notifyAdapter, secondNotifyAdapter, network }) => {
      const storeId = newStoreId();
      bind(notifyAdapter, storeId);
      bind(secondNotifyAdapter, storeId);
      const strangers = [await network.openAdapter(), await network.openAdapter()];
      const strangersStoreId = newStoreId();
      for (const stranger of strangers) bind(stranger, strangersStoreId);
      const own = await listenForTypes(secondNotifyAdapter, ["mail"], () => 1);
      const foreign = await Promise.all(
        strangers.map((stranger) => listenForTypes(stranger, ["mail"], () => 1)),
      );
      // A hint that a stranger takes is one that the own listener never receives.
      for (let round = 1; round <= 20; round += 1) {
        await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
        await eventually(
          () => Promise.resolve(own.calls.length >= round ? true : undefined),
          `the own listener to be woken for job ${round}`,
        );
      }
      expect(foreign.flatMap(({ calls }) => calls)).toEqual([]);
      await Promise.all([own, ...foreign].map(({ stop }) => stop()));
    },
  );

  rule("Throws if the adapter has been bound to another store.", async ({ notifyAdapter }) => {
    const storeId = newStoreId();
    bind(notifyAdapter, storeId);
    bind(notifyAdapter, storeId);
    expect(() => bind(notifyAdapter, newStoreId())).toThrow("another store");
  });
});
