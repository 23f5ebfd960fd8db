import { fileURLToPath } from "node:url";
import { project } from "../../vitest.shared.ts";

const { test, ...rest } = project("dashboard", { services: ["chromium", "mongodb", "postgres"] });
const buildPage = fileURLToPath(new URL("./test/build-page.ts", import.meta.url));

export default {
  ...rest,
  test: { ...test, globalSetup: [...(test?.globalSetup ?? []), buildPage] },
};
