import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { payloadOf, usePayloadBytes } from "../src/participants/participant.ts";

it.each([100, 10_000, 200_000])("a payload has %i bytes that no store can compress", (bytes) => {
  usePayloadBytes(bytes);
  const json = JSON.stringify(payloadOf(0));
  expect(json.length).toBe(bytes);
  // Random characters of base64 have six bits each.
  expect(gzipSync(json).length).toBeGreaterThan(bytes * 0.7);
});
