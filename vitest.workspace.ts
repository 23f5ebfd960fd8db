import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { project, reporters } from "./vitest.shared.ts";

// Vitest 4 reads no file of this name by itself. Every test script passes it with --config, and
// vitest.config.ts re-exports it for a bare `vitest`.
export default defineConfig({
  test: {
    projects: ["packages/*", project("tidy", { include: ["scripts/**/*.test.ts"] })],
    reporters,
    // Vitest leaves one core free. Most tests here wait for a server, so one more than the cores has work to do.
    maxWorkers: availableParallelism() + 1,
  },
});
