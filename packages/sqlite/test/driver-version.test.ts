// better-sqlite3 13 ends a process of Node 20 with a segmentation fault when it opens a file.
import { expect, it } from "vitest";
import { assertRunsHere } from "../src/providers/better-sqlite3.ts";
import { nodeMajor } from "./better-sqlite3.ts";

it("version 13 is refused on Node 20 before it is loaded, with the version to install", () => {
  const check = () => assertRunsHere("better-sqlite3-node22");
  if (nodeMajor >= 22) expect(check).not.toThrow();
  else {
    expect(check).toThrow(
      expect.objectContaining({
        code: "QUEUERT_SQLITE_DRIVER_MISSING",
        message: expect.stringContaining("npm install better-sqlite3@12"),
        cause: expect.objectContaining({ message: expect.stringContaining("13.") }),
      }),
    );
  }
});

it("version 12 is accepted on every Node, and a missing package is left to the import", () => {
  expect(() => assertRunsHere("better-sqlite3")).not.toThrow();
  expect(() => assertRunsHere("no-such-package")).not.toThrow();
});
