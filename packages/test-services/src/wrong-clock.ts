// A server whose clock can be set: the Debian package `libfaketime`, loaded into that server only.
import { chmodSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOrInstall } from "./install/binary.ts";

export type WrongClock = {
  /** For the environment of the server. */
  readonly environment: Readonly<Record<string, string>>;
  /** By how much its clock is ahead of the real one, from now on. */
  readonly set: (seconds: number) => void;
};

const folders = [
  ...["/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime"],
  "/usr/lib/faketime",
];

/** Linux. `folder`: for the file that says how wrong it is; the user of the server must be able to pass through. */
export const createWrongClock = (folder: string): WrongClock => {
  const find = (): string | undefined =>
    folders.map((one) => join(one, "libfaketime.so.1")).find((one) => existsSync(one));
  const library = findOrInstall(find, ["libfaketime"]);
  if (library === undefined)
    throw new Error("libfaketime is missing: apt-get install -y libfaketime");
  const path = join(folder, "clock");
  const set = (seconds: number): void => {
    // In one piece: a server reads it at any time.
    writeFileSync(`${path}.new`, `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}`);
    chmodSync(`${path}.new`, 0o644);
    renameSync(`${path}.new`, path);
  };
  set(0);
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      // Every process of the server sees the step at once.
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    set,
  };
};
