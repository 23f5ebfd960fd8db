import { createInProcessStateAdapter } from "queuert";
import { chooseSeed } from "queuert/testing";
import { describe, it } from "vitest";
import { doors } from "./doors.ts";
import { fuzzDoor } from "./fuzz-calls.ts";
import { fuzzCallback, fuzzCreation, fuzzWorker } from "./fuzz-setting-up.ts";
import { openStores } from "./open-stores.ts";

const seed = chooseSeed();

const named = doors.map((door, index) => ({ ...door, index }));

describe(`public calls with whatever somebody hands over (QUEUERT_SEED=${seed})`, () => {
  it.each(named)("in process: $name ($index)", async (door) => {
    await fuzzDoor(createInProcessStateAdapter(), door, { seed, numRuns: 600 });
  });

  it("a worker's options", () => fuzzWorker({ seed, numRuns: 600 }));

  it("the options of createQueuert", () => fuzzCreation({ seed, numRuns: 600 }));

  it.each(["transaction", "withNotify"])("%s", (name) =>
    fuzzCallback(name, { seed, numRuns: 200 }),
  );

  describe.each(openStores)("$name", ({ opened, numRuns }) => {
    it.each(named)("$name ($index)", async (door) => {
      await using store = await opened();
      await fuzzDoor(store.state, door, { seed, numRuns });
    });
  });
});
