import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNotifyEncoder, decodeNotifyMessage } from "../../src/adapter-kit/notify-message.ts";

const key = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
const entries = fc.array(fc.tuple(key, fc.integer({ min: 1, max: 2 ** 50 })), { minLength: 1 });

describe("notify messages", () => {
  it("carry every entry within the size they may have", () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 600, max: 9_000 }), (given, bytesMax) => {
        for (const channel of ["jobScheduled", "sequenceCompleted"] as const) {
          const { messages, tooLarge } = createNotifyEncoder(channel, "sender", bytesMax)(given);
          expect(tooLarge).toEqual([]);
          const texts = messages.map(({ text }) => text("h".repeat(64)));
          for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax);
          const decoded = texts.map((text) => decodeNotifyMessage(channel, text));
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
        const message = decodeNotifyMessage("ownershipLost", text);
        expect(message === undefined || message.entries.length > 0).toBe(true);
      }),
    );
    fc.assert(
      fc.property(
        fc.record({ v: fc.constant(1), from: fc.jsonValue(), ids: fc.jsonValue() }),
        (value) => {
          const message = decodeNotifyMessage("ownershipLost", JSON.stringify(value));
          expect(message === undefined || typeof message.from === "string").toBe(true);
        },
      ),
    );
  });
});
