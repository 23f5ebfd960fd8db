import { describe, expect, it } from "vitest";
import { shrink } from "../src/shrink.ts";

const numbers = Array.from({ length: 10 }, (_, index) => index);

/** Fails while all of these are there; counts how often it was asked. */
const failingWith = (needed: readonly number[]) => {
  const asked: (readonly number[])[] = [];
  const fails = (faults: readonly number[]): Promise<boolean> => {
    asked.push(faults);
    return Promise.resolve(needed.every((one) => faults.includes(one)));
  };
  return { asked, fails };
};

describe("shrink", () => {
  it.each([[[3, 7]], [[0]], [[0, 9]], [[2, 3, 4, 8]], [numbers]])("leaves %j", async (needed) => {
    const { fails } = failingWith(needed);
    expect(await shrink(numbers, fails, 1_000)).toEqual(needed);
  });

  it("leaves nothing if it fails without any", async () => {
    const { fails } = failingWith([]);
    expect(await shrink(numbers, fails, 1_000)).toEqual([]);
  });

  it("gives up after a limited number of runs and keeps the best result", async () => {
    const { asked, fails } = failingWith([3, 7]);
    const left = await shrink(numbers, fails, 3);
    expect(asked).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining([3, 7]));
  });
});
