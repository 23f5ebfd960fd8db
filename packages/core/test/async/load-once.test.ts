import { expect, it } from "vitest";
import { loadOnce } from "../../src/async/load-once.ts";

it("loads with the first call only", async () => {
  let loads = 0;
  const load = loadOnce(() => Promise.resolve(++loads));
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

it("loads again after a load that failed", async () => {
  let loads = 0;
  const load = loadOnce(() =>
    ++loads === 1 ? Promise.reject(new Error("no file")) : Promise.resolve("module"),
  );
  await expect(load()).rejects.toThrow("no file");
  expect(await load()).toBe("module");
});
