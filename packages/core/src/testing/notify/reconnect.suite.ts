import { defineNotifySuite } from "../notify-harness.ts";
import type { NotifySuite } from "../notify-harness.ts";
import { eventually, within } from "../waiting.ts";
import {
  listenForLosses,
  listenForSequences,
  listenForTypes,
  newId,
  reconnected,
  untilTold,
} from "./listening.ts";

const reconnectMs = 20_000;

/** Tells again and again until it has arrived: while connections come back a notification may be lost, or refused. */
const tellUntil = async (tell: () => Promise<void>, arrived: () => boolean): Promise<void> => {
  await eventually(
    async () => {
      await tell().catch(() => undefined);
      return arrived() ? true : undefined;
    },
    "a notification to arrive after the connection was lost",
    reconnectMs,
  );
};

export const reconnectSuite: NotifySuite = defineNotifySuite("notify, lost connections", (rule) => {
  rule(
    "A lost connection is noticed, also a half-open one, and made again with backoff. Then every listener is called once.",
    async ({ secondNotifyAdapter, network }) => {
      const [mine, alsoMine] = [newId(), newId()];
      const types = await listenForTypes(secondNotifyAdapter, ["mail", "report"]);
      const otherTypes = await listenForTypes(secondNotifyAdapter, ["mail"]);
      const sequences = await listenForSequences(secondNotifyAdapter, [mine, alsoMine]);
      const losses = await listenForLosses(secondNotifyAdapter);
      await network.breakConnections();
      // No other process has notified: the adapter itself asks for a query.
      const told: [typeof types, string][] = [
        [types, "mail"],
        [types, "report"],
        [otherTypes, "mail"],
        [sequences, mine],
        [sequences, alsoMine],
        [losses, reconnected],
      ];
      await within(
        Promise.all(told.map(([listener, what]) => untilTold(listener, what))),
        "every listener to be told after the connection came back",
        reconnectMs,
      );
      const all = [types, otherTypes, sequences, losses];
      await Promise.all(all.map(({ stop }) => stop()));
    },
  );

  rule(
    "after it is back everything arrives again",
    async ({ notifyAdapter, secondNotifyAdapter, network }) => {
      const id = newId();
      const sequences = await listenForSequences(secondNotifyAdapter, [id]);
      const losses = await listenForLosses(secondNotifyAdapter);
      for (let round = 0; round < 2; round += 1) {
        sequences.calls.length = 0;
        await network.breakConnections();
        await untilTold(sequences, id);
        const lost = newId();
        await tellUntil(
          () => notifyAdapter.notifyJobOwnershipLost([lost]),
          () => losses.calls.includes(lost),
        );
        sequences.calls.length = 0;
        await tellUntil(
          () => notifyAdapter.notifyJobSequenceCompleted([id]),
          () => sequences.calls.length > 0,
        );
      }
      await Promise.all([sequences.stop(), losses.stop()]);
    },
  );

  rule("It never waits for a lost connection.", async ({ notifyAdapter, network }) => {
    const told = await listenForLosses(notifyAdapter);
    const breaking = network.breakConnections();
    // It may reject; core reports that and goes on.
    const notified = Array.from({ length: 20 }, () =>
      notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]).catch(() => undefined),
    );
    await within(Promise.all(notified), "notifications while the connection is lost");
    await breaking;
    await untilTold(told, reconnected);
    await told.stop();
  });

  rule(
    "No error of the transport ever surfaces as an unhandled rejection.",
    async ({ notifyAdapter, secondNotifyAdapter, network }) => {
      const unhandled: unknown[] = [];
      const remember = (error: unknown): void => {
        unhandled.push(error);
      };
      process.on("unhandledRejection", remember);
      try {
        const told = await listenForLosses(secondNotifyAdapter);
        await network.breakConnections();
        await notifyAdapter.notifyJobOwnershipLost([newId()]).catch(() => undefined);
        await untilTold(told, reconnected);
        await told.stop();
      } finally {
        process.off("unhandledRejection", remember);
      }
      if (unhandled.length > 0) throw unhandled[0];
    },
  );

  rule(
    "a listener that stops while the connection is lost stays silent",
    async ({ notifyAdapter, secondNotifyAdapter, network }) => {
      const id = newId();
      const stopped = await listenForSequences(secondNotifyAdapter, [id]);
      const stays = await listenForSequences(secondNotifyAdapter, [id]);
      await network.breakConnections();
      await within(stopped.stop(), "the stop");
      const before = stopped.calls.length;
      await untilTold(stays, id);
      stays.calls.length = 0;
      await tellUntil(
        () => notifyAdapter.notifyJobSequenceCompleted([id]),
        () => stays.calls.length > 0,
      );
      if (stopped.calls.length > before) throw new Error("a stopped listener was told");
      await stays.stop();
    },
  );
});
