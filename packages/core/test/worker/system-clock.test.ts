import { expect, it, vi } from "vitest";
import { systemClock } from "../../src/async/clock.ts";

it("the clock of workers does not follow a wall clock that is set back", () => {
  const before = systemClock.now();
  const wall = vi.spyOn(Date, "now").mockReturnValue(before - 3_600_000);
  try {
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    expect(systemClock.now()).toBeLessThan(before + 60_000);
  } finally {
    wall.mockRestore();
  }
});
