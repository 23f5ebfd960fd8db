// An author outside this repository writes adapters and runs the suites from the packed package.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutsideProject, type OutsideProject } from "./outside-author/fixture.ts";
import { outsideFiles } from "./outside-author/files.ts";

const runMs = 180_000;

const countIn = (output: string, what: "passed" | "failed"): number =>
  Number(new RegExp(`Tests .*?(\\d+) ${what}`).exec(output)?.[1] ?? 0);

describe("the packed package", () => {
  let project: OutsideProject;

  beforeAll(() => {
    project = createOutsideProject(outsideFiles);
  }, runMs);

  // Undefined where it could not be made: then that is the failure.
  afterAll(() => (project as OutsideProject | undefined)?.remove());

  it("typechecks in the adapter author's project", { timeout: runMs }, () => {
    const { output, status } = project.typecheck();
    expect(output).toBe("");
    expect(status).toBe(0);
  });

  it("runs every suite against the author's adapter", { timeout: runMs }, () => {
    const { output, status } = project.test();
    expect(status, output).toBe(0);
    expect(countIn(output, "passed")).toBeGreaterThan(380);
  });

  it("runs the notify suites against the adapter of ADAPTERS.md", { timeout: runMs }, () => {
    const { output, status } = project.test({}, ["broadcast.test.ts"]);
    expect(status, output).toBe(0);
    expect(countIn(output, "passed")).toBeGreaterThan(10);
  });

  it("puts the author's adapter under the faults of the packed kit", { timeout: runMs }, () => {
    const { output, status } = project.test({}, ["torture.test.ts"]);
    expect(status, output).toBe(0);
    expect(countIn(output, "passed")).toBe(3);
  });

  it("fails when the author's adapter is broken", { timeout: runMs }, () => {
    const { output, status } = project.test({ BROKEN_SHELF: "1" }, ["-t", "renewLeases"]);
    expect(status).not.toBe(0);
    expect(countIn(output, "failed")).toBeGreaterThan(0);
    expect(output).toContain("A lease that ends later is shortened.");
  });

  it("fails for a gap that is none, and for one that names no rule", { timeout: runMs }, () => {
    const kept = project.test({ SHELF_GAP: "A lease that ends later is shortened." }, [
      "-t",
      "renewLeases|gaps",
    ]);
    expect(kept.status).not.toBe(0);
    expect(countIn(kept.output, "failed"), kept.output).toBe(1);
    const unknown = project.test({ SHELF_GAP: "There is no such rule." }, ["-t", "gaps"]);
    expect(unknown.status).not.toBe(0);
    expect(unknown.output).toContain("There is no such rule.");
  });
});
