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

export const fanOutSuite: NotifySuite = defineNotifySuite("notify, fan-out", (rule) => {
  rule(
    "Every listener for one of them is told.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const id = newId();
      const all = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          listenForSequences(index % 2 === 0 ? notifyAdapter : secondNotifyAdapter, [id, newId()]),
        ),
      );
      await notifyAdapter.notifyJobSequenceCompleted([id]);
      for (const told of all) {
        await untilTold(told, id);
        expect(new Set(told.calls)).toEqual(new Set([id]));
      }
      await Promise.all(all.map(({ stop }) => stop()));
    },
  );

  rule("Every listener is told.", async ({ notifyAdapter, secondNotifyAdapter }) => {
    const all = await Promise.all(
      [notifyAdapter, secondNotifyAdapter, notifyAdapter].map(listenForLosses),
    );
    const id = newId();
    await secondNotifyAdapter.notifyJobOwnershipLost([id]);
    for (const told of all) await untilTold(told, id);
    await Promise.all(all.map(({ stop }) => stop()));
  });

  rule(
    "the same listener given twice is there twice, and stops one at a time",
    async ({ notifyAdapter }) => {
      const id = newId();
      const calls: string[] = [];
      const listener = {
        sequenceIds: [id],
        onSequenceCompleted: (told: string) => {
          calls.push(told);
        },
      };
      const stopFirst = await notifyAdapter.listenJobSequenceCompleted(listener);
      const stopSecond = await notifyAdapter.listenJobSequenceCompleted(listener);
      await stopFirst();
      await notifyAdapter.notifyJobSequenceCompleted([id]);
      await untilTold({ calls, stop: stopSecond }, id);
      await stopSecond();
    },
  );

  rule(
    "Safe to call twice; resolves when nothing will be called any more.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const id = newId();
      const stopped = await listenForSequences(secondNotifyAdapter, [id]);
      const stays = await listenForSequences(secondNotifyAdapter, [id]);
      await stopped.stop();
      await within(stopped.stop(), "a second stop");
      await notifyAdapter.notifyJobSequenceCompleted([id]);
      await untilTold(stays, id);
      expect(stopped.calls).toEqual([]);
      await stays.stop();
    },
  );

  rule(
    "one listener's stop leaves the others, the last one's ends it",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const first = await listenForTypes(secondNotifyAdapter, ["a"]);
      const second = await listenForTypes(secondNotifyAdapter, ["a", "b"]);
      await first.stop();
      await notifyAdapter.notifyJobScheduled([{ typeName: "a", count: 1 }]);
      await untilTold(second, "a");
      await second.stop();
      const before = second.calls.length;
      await notifyAdapter.notifyJobScheduled([{ typeName: "b", count: 1 }]);
      await sleep(graceMs);
      expect(second.calls).toHaveLength(before);
      // And it can begin again.
      const again = await listenForTypes(secondNotifyAdapter, ["b"]);
      await notifyAdapter.notifyJobScheduled([{ typeName: "b", count: 1 }]);
      await untilTold(again, "b");
      await again.stop();
    },
  );

  rule(
    "listeners that start and stop at once receive their own notifications",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const id = newId();
      const goingAndComing = Array.from({ length: 20 }, async () => {
        const told = await listenForSequences(secondNotifyAdapter, [id]);
        await told.stop();
      });
      const stays = await listenForSequences(secondNotifyAdapter, [id]);
      await Promise.all(goingAndComing);
      await notifyAdapter.notifyJobSequenceCompleted([id]);
      await untilTold(stays, id);
      await stays.stop();
    },
  );

  rule("a listener may stop, or notify, while it is being told", async ({ notifyAdapter }) => {
    const [first, second] = [newId(), newId()];
    const calls: string[] = [];
    let stopping: Promise<void> | undefined;
    const stop = await notifyAdapter.listenJobSequenceCompleted({
      sequenceIds: [first],
      onSequenceCompleted: (id) => {
        calls.push(id);
        stopping = stop();
        void notifyAdapter.notifyJobSequenceCompleted([second]);
      },
    });
    const other = await listenForSequences(notifyAdapter, [second]);
    await notifyAdapter.notifyJobSequenceCompleted([first]);
    await untilTold(other, second);
    await within(stopping ?? Promise.reject(new Error("not told")), "the stop");
    expect(calls).toEqual([first]);
    await other.stop();
  });

  rule(
    "a listener that throws keeps the message from no other",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const id = newId();
      const stopBad = await secondNotifyAdapter.listenJobSequenceCompleted({
        sequenceIds: [id],
        onSequenceCompleted: () => {
          throw new Error("a listener's own");
        },
      });
      const good = await listenForSequences(secondNotifyAdapter, [id]);
      // Within one process the notifier may hear of it; another process must not.
      await notifyAdapter.notifyJobSequenceCompleted([id]).catch(() => undefined);
      await untilTold(good, id);
      await Promise.all([stopBad(), good.stop()]);
    },
  );
});
