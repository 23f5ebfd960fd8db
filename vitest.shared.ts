import { fileURLToPath } from "node:url";
import type { UserWorkspaceConfig } from "vitest/config";

type Service =
  "chromium" | "mongodb" | "nats" | "postgres" | "postgres-18" | "redis" | "redis-cluster";

type ProjectOptions = {
  include?: string[];
  /** Servers to start once per run, before the first test of the project. */
  services?: readonly Service[];
  /** Also run *.test-d.ts files through the type checker. */
  typeTests?: boolean;
};

const fromRoot = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const reporters: string[] = ["default", fromRoot("./vitest.summary.ts")];

export const project = (name: string, options: ProjectOptions = {}): UserWorkspaceConfig => ({
  // Replaces Vite's defaults, hence the three that repeat them.
  ssr: { resolve: { conditions: ["@queuert/source", "module", "node", "development|production"] } },
  test: {
    name,
    include: options.include ?? ["test/**/*.test.ts", "src/**/*.test.ts"],
    setupFiles: [fromRoot("./vitest.patience.ts")],
    expect: { poll: { timeout: 50_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Real servers on a machine with other load: in CI a case may be run again, and is then named.
    // The pause lets a server recover that another file has just loaded.
    retry: process.env["CI"] === undefined ? 0 : { count: 2, delay: 3000 },
    globalSetup: (options.services ?? []).map((service) =>
      fromRoot(`./packages/test-services/src/vitest/${service}.ts`),
    ),
    ...(options.typeTests && {
      typecheck: {
        enabled: true,
        include: ["{src,test}/**/*.test-d.ts"],
        tsconfig: "./tsconfig.test.json",
        checker: fromRoot("./node_modules/typescript-7/bin/tsc"),
      },
    }),
  },
});
