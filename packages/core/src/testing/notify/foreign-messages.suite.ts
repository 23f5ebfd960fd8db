import { expect } from "vitest";
import type { NotifyAdapter } from "../../adapters/notify-adapter.ts";
import { defineNotifySuite } from "../notify-harness.ts";
import type { NotifySuite, NotifyTopic } from "../notify-harness.ts";
import { chooseSeed, oneOf, type Random, seededRandom } from "../random.ts";
import {
  listenForLosses,
  listenForSequences,
  listenForTypes,
  newId,
  type Told,
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

const listOf = (topic: NotifyTopic, count: number): string => {
  const keys = Array.from({ length: count }, () => newId());
  const head = { v: 1, from: "stranger" };
  return topic === "jobScheduled"
    ? JSON.stringify({ ...head, jobs: keys.map((key) => [key, Number.MAX_SAFE_INTEGER]) })
    : JSON.stringify({ ...head, ids: keys });
};

const depth = 20_000;

/** Texts of which the parsing, or the handling, would cost much. */
const expensive = (topic: NotifyTopic): readonly string[] => [
  listOf(topic, 20_000),
  listOf(topic, 1_001),
  "[".repeat(depth) + "]".repeat(depth),
  `{"v":1,"from":"stranger","ids":${"[".repeat(depth)}${"]".repeat(depth)}}`,
  `{"v":1,"from":"stranger","jobs":[${'["mail",'.repeat(depth)}1${"]".repeat(depth)}]}`,
  `{"v":1,"from":"stranger","hint":"${"../".repeat(1_000)}","jobs":[["mail",1]]}`,
  `{"v":1,"from":"stranger","jobs":[["mail",1e308]],"ids":["${"x".repeat(100_000)}"]}`,
];

/** Notifies of one type and one id, and expects that the listeners are called for these alone. */
const expectOnly = async (
  notifyAdapter: NotifyAdapter,
  listening: { readonly types: Told; readonly sequences: Told; readonly losses: Told },
  id: string,
): Promise<void> => {
  await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
  await notifyAdapter.notifyJobSequenceCompleted([id]);
  await notifyAdapter.notifyJobOwnershipLost([id]);
  const { types, sequences, losses } = listening;
  await untilTold(types, "mail");
  await untilTold(sequences, id);
  await untilTold(losses, id);
  expect(types.calls, `QUEUERT_SEED=${seed}`).toEqual(["mail"]);
  expect(sequences.calls).toEqual([id]);
  expect(losses.calls).toEqual([id]);
  await Promise.all([types.stop(), sequences.stop(), losses.stop()]);
};

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
        await expectOnly(notifyAdapter, { types, sequences, losses }, id);
      },
    );

    rule(
      "The cost of a message is bounded: a message over 64 KiB or 1,000 entries is dropped.",
      async ({ notifyAdapter, secondNotifyAdapter, network }) => {
        const id = newId();
        const types = await listenForTypes(secondNotifyAdapter, ["mail"]);
        const sequences = await listenForSequences(secondNotifyAdapter, [id]);
        const losses = await listenForLosses(secondNotifyAdapter);
        for (const topic of topics) {
          for (const text of expensive(topic)) {
            // Some transports refuse the large ones themselves.
            await network.publishRaw(topic, text).catch(() => undefined);
          }
        }
        await expectOnly(notifyAdapter, { types, sequences, losses }, id);
      },
    );
  },
);
