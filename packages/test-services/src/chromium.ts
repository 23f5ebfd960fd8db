// Chromium for tests of pages: the one of the machine, or Debian's, which is installed where it is missing.
import { findBinary, findOrInstall } from "./install/binary.ts";

const names = ["chromium", "chromium-browser", "google-chrome"];

const find = (): string | undefined =>
  process.env["QUEUERT_TEST_CHROMIUM"] ??
  names.map((name) => findBinary(name)).find((path) => path !== undefined);

export interface Chromium {
  readonly path: string;
  readonly close: () => Promise<void>;
}

/** The path of a Chromium. Each test starts its own. */
export const findChromium = async (): Promise<Chromium> => {
  const path = findOrInstall(find, ["chromium"]);
  if (path === undefined) {
    throw new Error(
      "Chromium is missing: install it (apt-get install chromium), or set QUEUERT_TEST_CHROMIUM to the path of one.",
    );
  }
  return { path, close: async () => {} };
};
