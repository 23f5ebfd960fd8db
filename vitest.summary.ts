import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Prints `N passed, N failed` as the last line of a run. A skipped test counts as failed. A gap is
 * declared with a reason where the suite is described (see queuert/testing), never by leaving out a
 * test.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped: string[] = [];
    const repeated: string[] = [];
    for (const module of modules) {
      failed += module.errors().length > 0 ? 1 : 0;
      for (const suite of module.children.allSuites()) failed += suite.errors().length > 0 ? 1 : 0;
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        if (test.diagnostic()?.flaky === true) {
          const [because = ""] = (errors[0]?.message ?? "").split("\n");
          repeated.push(`${name}: ${because}`);
        }
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped.push(name);
      }
    }
    for (const name of repeated) process.stdout.write(`passed only when run again: ${name}\n`);
    for (const name of skipped) process.stdout.write(`skipped, which counts as failed: ${name}\n`);
    if (skipped.length > 0) process.exitCode = 1;
    process.stdout.write(`${passed} passed, ${failed + skipped.length} failed\n`);
  }
}
