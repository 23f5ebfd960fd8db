import { createJobIdGenerator } from "queuert/internal";
import { describe, expect, it } from "vitest";

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("createJobIdGenerator", () => {
  it("makes UUIDs of version 7 that carry the time", () => {
    const id = createJobIdGenerator(() => 0x0123_4567_89ab)();
    expect(id).toMatch(uuid7);
    expect(id.slice(0, 13)).toBe("01234567-89ab");
  });

  it("only ever grows, within a millisecond and when the clock steps back", () => {
    let now = 1_000_000;
    const next = createJobIdGenerator(() => now);
    let last = next();
    for (let count = 0; count < 20_000; count++) {
      if (count % 5_000 === 4_999) now -= 500;
      const id = next();
      expect(id > last, `${id} after ${last}`).toBe(true);
      last = id;
    }
  });

  it("never makes an id twice, also not with another generator in the same millisecond", () => {
    const generators = Array.from({ length: 4 }, () => createJobIdGenerator(() => 5_000_000));
    const ids = new Set<string>();
    for (let count = 0; count < 5_000; count++) {
      for (const next of generators) ids.add(next());
    }
    expect(ids.size).toBe(20_000);
  });
});
