import { expect } from "vitest";
import { defineNotifySuite } from "../notify-harness.ts";
import type { NotifySuite, NotifyTopic } from "../notify-harness.ts";
import { chooseSeed, oneOf, type Random, seededRandom } from "../random.ts";
import {
  listenForLosses,
  listenForSequences,
  listenForTypes,
  newId,
  untilTold,
} from "./listening.ts";

const topics: readonly NotifyTopic[] = ["jobScheduled", "sequenceCompleted", "ownershipLost"];

const foreign: readonly string[] = [
  "",
  "null",
  "[]",
  "{",
  '"text"',
  "42",
  '{"v":99,"future":true}',
  '{"version":99,"types":[{"typeName":"mail","count":1}]}',
  '{"__proto__":{"polluted":true}}',
  "[[[[[[[[",
  "mail",
  "ß漢🐌",
  "x".repeat(5_000),
];

const alphabet = [
  "{",
  "}",
  "[",
  "]",
  '"',
  ":",
  ",",
  "mail",
  "1",
  "-",
  "e9",
  "null",
  "v",
  "\\u",
  "ß",
  "🐌",
];

/** Texts that resemble messages of another program. */
const randomTexts = (count: number, random: Random): readonly string[] =>
  Array.from({ length: count }, () =>
    Array.from({ length: Math.floor(random() * 12) }, () => oneOf(alphabet, random)).join(""),
  );

const seed = chooseSeed();

export const foreignMessagesSuite: NotifySuite = defineNotifySuite(
  "notify, foreign messages",
  (rule) => {
    rule(
      "Messages that are not ours, broken, or of a future version are ignored.",
      async ({ notifyAdapter, secondNotifyAdapter, network }) => {
        const id = newId();
        const types = await listenForTypes(secondNotifyAdapter, ["mail"]);
        const sequences = await listenForSequences(secondNotifyAdapter, [id]);
        const losses = await listenForLosses(secondNotifyAdapter);
        for (const topic of topics) {
          const random = randomTexts(50, seededRandom(seed));
          for (const text of [...foreign, ...random]) await network.publishRaw(topic, text);
        }
        // The messages after them arrive, and only those.
        await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
        await notifyAdapter.notifyJobSequenceCompleted([id]);
        await notifyAdapter.notifyJobOwnershipLost([id]);
        await untilTold(types, "mail");
        await untilTold(sequences, id);
        await untilTold(losses, id);
        expect(types.calls, `QUEUERT_SEED=${seed}`).toEqual(["mail"]);
        expect(sequences.calls).toEqual([id]);
        expect(losses.calls).toEqual([id]);
        await Promise.all([types.stop(), sequences.stop(), losses.stop()]);
      },
    );
  },
);
