import { expect } from "vitest";
import { defineNotifySuite } from "../notify-harness.ts";
import type { NotifySuite } from "../notify-harness.ts";
import { graceMs, sleep, within } from "../waiting.ts";
import {
  listenForLosses,
  listenForSequences,
  listenForTypes,
  newId,
  untilTold,
} from "./listening.ts";

// The last suite of the file: the adapters are of no use after each of its cases.
export const closeSuite: NotifySuite = defineNotifySuite("notify, close", (rule) => {
  rule("Afterwards `notify*` does nothing.", async ({ notifyAdapter, secondNotifyAdapter }) => {
    const id = newId();
    const told = await listenForSequences(secondNotifyAdapter, [id]);
    await notifyAdapter.close();
    const all = [
      notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]),
      notifyAdapter.notifyJobSequenceCompleted([id]),
      notifyAdapter.notifyJobOwnershipLost([id]),
    ];
    await within(Promise.all(all), "notifications after the close");
    await sleep(graceMs);
    expect(told.calls).toEqual([]);
    await told.stop();
  });

  rule(
    "closing ends every listener of the adapter",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const id = newId();
      const all = [
        await listenForTypes(notifyAdapter, ["mail"]),
        await listenForSequences(notifyAdapter, [id]),
        await listenForLosses(notifyAdapter),
      ];
      await within(notifyAdapter.close(), "the close");
      await secondNotifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
      await secondNotifyAdapter.notifyJobSequenceCompleted([id]);
      await secondNotifyAdapter.notifyJobOwnershipLost([id]);
      await sleep(graceMs);
      expect(all.flatMap(({ calls }) => calls)).toEqual([]);
      await within(Promise.all(all.map(({ stop }) => stop())), "stops after the close");
    },
  );

  rule("closing twice is closing once", async ({ notifyAdapter }) => {
    await Promise.all([notifyAdapter.close(), notifyAdapter.close()]);
    await within(notifyAdapter.close(), "a third close");
  });

  rule(
    "Closes the connections that the adapter opened, and nothing it was given.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      if (notifyAdapter === secondNotifyAdapter) {
        // Within one process there is no connection to open, and no other process to stay
        // connected.
        await notifyAdapter.close();
        return;
      }
      const id = newId();
      const told = await listenForSequences(secondNotifyAdapter, [id]);
      await notifyAdapter.close();
      // The other adapter goes on, also where both were given one client.
      await secondNotifyAdapter.notifyJobSequenceCompleted([id]);
      await untilTold(told, id);
      await told.stop();
    },
  );
});
