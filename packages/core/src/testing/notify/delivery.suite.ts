import { expect } from "vitest";
import { defineNotifySuite } from "../notify-harness.ts";
import type { NotifySuite } from "../notify-harness.ts";
import { within } from "../waiting.ts";
import {
  listenForLosses,
  listenForSequences,
  listenForTypes,
  newId,
  untilTold,
} from "./listening.ts";

export const deliverySuite: NotifySuite = defineNotifySuite("notify, delivery", (rule) => {
  rule("Jobs have become due.", async ({ notifyAdapter, secondNotifyAdapter }) => {
    const told = await listenForTypes(secondNotifyAdapter, ["mail", "report"]);
    await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
    await untilTold(told, "mail");
    expect(told.calls).not.toContain("report");
    await notifyAdapter.notifyJobScheduled([
      { typeName: "other", count: 2 },
      { typeName: "report", count: 3 },
    ]);
    await untilTold(told, "report");
    expect(told.calls).not.toContain("other");
    await told.stop();
  });

  rule(
    "Sequences have ended: completed or failed.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const [mine, alsoMine, foreign] = [newId(), newId(), newId()];
      const told = await listenForSequences(secondNotifyAdapter, [mine, alsoMine]);
      await notifyAdapter.notifyJobSequenceCompleted([foreign, mine]);
      await untilTold(told, mine);
      await notifyAdapter.notifyJobSequenceCompleted([alsoMine]);
      await untilTold(told, alsoMine);
      expect(told.calls).not.toContain(foreign);
      await told.stop();
    },
  );

  rule(
    "Jobs have changed hands outside their process function.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const told = await listenForLosses(secondNotifyAdapter);
      const [first, second] = [newId(), newId()];
      await notifyAdapter.notifyJobOwnershipLost([first, second]);
      await untilTold(told, first);
      await untilTold(told, second);
      await told.stop();
    },
  );

  rule("an adapter hears itself", async ({ notifyAdapter }) => {
    const id = newId();
    const types = await listenForTypes(notifyAdapter, ["own"]);
    const sequences = await listenForSequences(notifyAdapter, [id]);
    const losses = await listenForLosses(notifyAdapter);
    await notifyAdapter.notifyJobScheduled([{ typeName: "own", count: 1 }]);
    await notifyAdapter.notifyJobSequenceCompleted([id]);
    await notifyAdapter.notifyJobOwnershipLost([id]);
    await untilTold(types, "own");
    await untilTold(sequences, id);
    await untilTold(losses, id);
    await Promise.all([types.stop(), sequences.stop(), losses.stop()]);
  });

  rule(
    "`listen*` resolves when the subscription is active: a notification after that arrives, while connected.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      for (let round = 0; round < 15; round += 1) {
        const id = newId();
        const told = await listenForSequences(secondNotifyAdapter, [id]);
        await notifyAdapter.notifyJobSequenceCompleted([id]);
        await untilTold(told, id);
        await told.stop();
      }
    },
  );

  rule(
    "`notify*` resolves when the message has been handed to the transport.",
    async ({ notifyAdapter }) => {
      // Without a listener it resolves all the same.
      const all = [
        notifyAdapter.notifyJobScheduled([{ typeName: "nobody", count: 1 }]),
        notifyAdapter.notifyJobSequenceCompleted([newId()]),
        notifyAdapter.notifyJobOwnershipLost([newId()]),
      ];
      await within(Promise.all(all), "notifications");
    },
  );

  rule("an empty list notifies no listener", async ({ notifyAdapter }) => {
    const told = await listenForTypes(notifyAdapter, ["mail"]);
    await notifyAdapter.notifyJobScheduled([]);
    await notifyAdapter.notifyJobSequenceCompleted([]);
    await notifyAdapter.notifyJobOwnershipLost([]);
    expect(told.calls).toEqual([]);
    await told.stop();
  });

  rule(
    "thousands of ids in one call all arrive",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const ids = Array.from({ length: 3_000 }, newId);
      const told = await listenForSequences(secondNotifyAdapter, ids);
      await notifyAdapter.notifyJobSequenceCompleted(ids);
      for (const id of ids) await untilTold(told, id);
      await told.stop();
    },
  );

  rule(
    "names of every length and character arrive",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const names = [
        "x".repeat(255),
        "漢".repeat(255),
        "a b",
        "a.b.*",
        "a>b",
        'q"u\\o\nte',
        "ß:|,;🐌",
        "{}",
      ];
      const told = await listenForTypes(secondNotifyAdapter, names);
      for (const typeName of names) {
        await notifyAdapter.notifyJobScheduled([{ typeName, count: 1 }]);
        await untilTold(told, typeName);
      }
      await told.stop();
    },
  );

  rule(
    "hundreds of types in one call all arrive",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const names = Array.from({ length: 300 }, (_, index) => `${"long name ".repeat(10)}${index}`);
      const told = await listenForTypes(secondNotifyAdapter, names, () => 1_000);
      await notifyAdapter.notifyJobScheduled(names.map((typeName) => ({ typeName, count: 1 })));
      for (const name of names) await untilTold(told, name);
      await told.stop();
    },
  );
});
