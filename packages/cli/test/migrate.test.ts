import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore, storeKinds } from "./stores.ts";

describe.each(storeKinds)("migrate on %s", (kind) => {
  it("plans without a write, applies once, and reports the state by its exit code", async () => {
    const project = createProject();
    const { url } = await createStore(kind, project.folder);
    const run = (...args: string[]) => project.queuert(["--url", url, ...args]);

    const missing = await run("migrate", "status");
    expect(missing.exitCode, missing.stderr).toBe(8);
    const plan = await run("migrate", "--plan", "--json");
    const planned = JSON.parse(plan.stdout) as { missing: string[]; sql: string[] };
    expect(planned.missing.length).toBeGreaterThan(0);
    if (kind !== "mongodb") expect(planned.sql.join("\n")).toContain("CREATE TABLE");
    if (kind === "sqlite") expect(existsSync(join(project.folder, "app.db"))).toBe(false);

    const applied = await run("migrate");
    expect(applied).toMatchObject({ exitCode: 0, stderr: "" });
    expect(applied.stdout).toContain("applied ");
    expect(await run("migrate")).toMatchObject({ exitCode: 0, stdout: "nothing to migrate\n" });
    expect(await run("migrate", "status")).toMatchObject({ exitCode: 0, stdout: "up to date\n" });
  });

  it("is named by commands that need the schema, with exit code 8 or 7", async () => {
    const project = createProject();
    const { url } = await createStore(kind, project.folder);
    const { exitCode, stderr, stdout } = await project.queuert(["--url", url, "doctor"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 6, stderr: "" });
    expect(stdout).toMatch(/fail +(schema|store)/);
    const start = await project.queuert(["--url", url, "start", "greet"]);
    expect([7, 8], start.stderr).toContain(start.exitCode);
    expect(start.stdout).toBe("");
    expect(start.stderr).toMatch(/^QUEUERT_\w+: /);
  });
});

it("refuses to migrate a custom adapter that has no migrations", async () => {
  const project = createProject();
  project.write(
    "queuert.config.mjs",
    `import { createInProcessStateAdapter } from "queuert";
export default { stateAdapter: () => createInProcessStateAdapter() };`,
  );
  const { exitCode, stderr } = await project.queuert(["migrate"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("has no migrations of its own");
});
