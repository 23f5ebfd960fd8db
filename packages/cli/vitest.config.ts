import { fileURLToPath } from "node:url";
import { project } from "../../vitest.shared.ts";

const { test, ...rest } = project("cli", { services: ["mongodb", "postgres", "redis"] });
const install = fileURLToPath(new URL("./test/install-packages.ts", import.meta.url));

// A case starts the program many times.
const testTimeout = 60_000;

export default {
  ...rest,
  test: { ...test, testTimeout, globalSetup: [...(test?.globalSetup ?? []), install] },
};
