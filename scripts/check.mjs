// Everything that must hold before a change goes in. Stops at the first step that fails.
// The tests come last, so that the last line of output is `N passed, N failed`.
import { pnpm } from "./workspace.mjs";

const steps = [
  "fmt:check",
  "lint",
  "typecheck",
  "tidy",
  "dead-code",
  "type-cost",
  "exports",
  "docs",
  "test:runtimes",
  "test",
];

for (const step of steps) {
  const startedAt = performance.now();
  console.log(`\n▶ ${step}`);
  const code = pnpm(["run", "--silent", step]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (code !== 0) {
    console.error(`✗ ${step} failed after ${seconds} s`);
    process.exit(code);
  }
  if (step !== "test") console.log(`✓ ${step} ${seconds} s`);
}
