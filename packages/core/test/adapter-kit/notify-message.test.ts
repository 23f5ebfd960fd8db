import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createNotifyEncoder,
  decodeNotifyMessage,
  type NotifyMessage,
  notifyMessageLimits,
} from "../../src/adapter-kit/notify-message.ts";
import type { NotifyChannel } from "../../src/adapter-kit/notify-channel.ts";

const key = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
const entries = fc.array(fc.tuple(key, fc.integer({ min: 1, max: 2 ** 50 })), { minLength: 1 });

const decode = (channel: NotifyChannel, text: string): NotifyMessage | undefined => {
  const message = decodeNotifyMessage(channel, text);
  return typeof message === "string" ? undefined : message;
};

describe("notify messages", () => {
  it("carry every entry within the size they may have", () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 600, max: 9_000 }), (given, bytesMax) => {
        for (const channel of ["jobScheduled", "sequenceCompleted"] as const) {
          const { messages, tooLarge } = createNotifyEncoder(channel, "sender", bytesMax)(given);
          expect(tooLarge).toEqual([]);
          const texts = messages.map(({ text }) => text("h".repeat(64)));
          for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax);
          const decoded = texts.map((text) => decode(channel, text));
          const expected = given.map(([name, count]) => [
            name,
            channel === "jobScheduled" ? count : 1,
          ]);
          expect(decoded.flatMap((message) => message?.entries)).toEqual(expected);
          expect(decoded.every((message) => message?.from === "sender")).toBe(true);
        }
      }),
    );
  });

  it("never throw, for any text on the channel", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const message = decode("ownershipLost", text);
        expect(message === undefined || message.entries.length > 0).toBe(true);
      }),
    );
    fc.assert(
      fc.property(
        fc.record({ v: fc.constant(1), from: fc.jsonValue(), ids: fc.jsonValue() }),
        (value) => {
          const message = decode("ownershipLost", JSON.stringify(value));
          expect(message === undefined || typeof message.from === "string").toBe(true);
        },
      ),
    );
  });

  it("have at most 1,000 entries", () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => [`${index}`, 1] as const);
    const { messages } = createNotifyEncoder("ownershipLost", "sender", 60_000)(ids);
    const decoded = messages.map(({ text }) => decode("ownershipLost", text())?.entries);
    expect(decoded.map((entries) => entries?.length)).toEqual([1_000, 1_000, 500]);
    expect(decoded.flat()).toEqual(ids);
  });

  it("over a limit are not parsed, or not read", () => {
    const { lengthMax, entriesMax } = notifyMessageLimits;
    const padded = `{"v":1,"from":"x","ids":["a"]}${" ".repeat(lengthMax)}`;
    expect(decodeNotifyMessage("ownershipLost", padded)).toBe("oversized");
    const ids = Array.from({ length: entriesMax + 1 }, String);
    const long = JSON.stringify({ v: 1, from: "x", ids });
    expect(decodeNotifyMessage("sequenceCompleted", long)).toBe("oversized");
    const jobs = ids.map((id) => [id, 1]);
    const many = JSON.stringify({ v: 1, from: "x", jobs });
    expect(decodeNotifyMessage("jobScheduled", many)).toBe("oversized");
  });

  it("of deep JSON are foreign", () => {
    const depth = 30_000;
    const deep = "[".repeat(depth) + "]".repeat(depth);
    expect(decodeNotifyMessage("ownershipLost", deep)).toBe("foreign");
    const inside = `{"v":1,"from":"x","ids":[${deep}]}`;
    expect(decodeNotifyMessage("ownershipLost", inside)).toBe("foreign");
  });
});
