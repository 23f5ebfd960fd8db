import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProject } from "./project.ts";

const config = (fields: string): string =>
  `import { defineConfig } from "@queuert/cli";\nexport default defineConfig({ ${fields} });\n`;

const expectStore = async (
  project: ReturnType<typeof createProject>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ totals: { pending: number } }> => {
  const result = await project.queuert([...args, "status", "--json"], { env });
  expect(result.exitCode, result.stderr).toBe(0);
  return JSON.parse(result.stdout) as { totals: { pending: number } };
};

describe("the store of a command", () => {
  it("is that of the nearest TypeScript config, beside which its file is", async () => {
    const project = createProject();
    project.write(
      "queuert.config.ts",
      `import { defineConfig, type Config } from "@queuert/cli";
const config: Config = { url: "sqlite:app.db", environment: "production" as string };
export default defineConfig(config);`,
    );
    mkdirSync(join(project.folder, "deep/er"), { recursive: true });
    expect((await project.queuert(["migrate"])).stdout).toContain("applied");
    const stub = join(project.folder, "node_modules/queuert/bin/queuert.mjs");
    const { stdout, status } = spawnSync(process.execPath, [stub, "status", "--json"], {
      cwd: join(project.folder, "deep/er"),
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ store: "sqlite", environment: "production" });
  });

  it("is that of --url, then --config, then QUEUERT_CONFIG, then the nearest, then the address", async () => {
    const project = createProject();
    const names = ["url", "option", "variable", "nearest", "address"];
    for (const name of names) {
      await project.queuert(["--url", `sqlite:${name}.db`, "migrate"]);
      for (let index = 0; index < names.indexOf(name); index++) {
        await project.queuert(["--url", `sqlite:${name}.db`, "start", "greet"]);
      }
    }
    for (const name of ["option", "variable"])
      project.write(`${name}.mjs`, config(`url: "sqlite:${name}.db"`));
    const env = { QUEUERT_DATABASE_URL: "sqlite:address.db" };
    const pending = async (args: readonly string[], more: Record<string, string> = {}) =>
      (await expectStore(project, args, { ...env, ...more })).totals.pending;
    expect(await pending([])).toBe(4);
    project.write("queuert.config.mjs", config('url: "sqlite:nearest.db"'));
    expect(await pending([])).toBe(3);
    const variable = { QUEUERT_CONFIG: "variable.mjs" };
    expect(await pending([], variable)).toBe(2);
    expect(await pending(["--config", "option.mjs"], variable)).toBe(1);
    expect(await pending(["--url", "sqlite:url.db"], variable)).toBe(0);
  });

  it("takes the fields of a profile, and its name as the environment", async () => {
    const project = createProject();
    project.write(
      "queuert.config.mjs",
      config('url: "sqlite:a.db", profiles: { live: { url: "sqlite:b.db", readOnly: true } }'),
    );
    await project.queuert(["--url", "sqlite:b.db", "migrate"]);
    expect(await expectStore(project, ["--profile", "live"])).toMatchObject({
      environment: "live",
    });
    const written = await project.queuert(["--profile", "live", "start", "greet"]);
    expect(written.exitCode).toBe(4);
    expect(written.stderr).toContain("QUEUERT_CLI_READ_ONLY: `start` writes");
    expect(await expectStore(project, ["--profile", "live"])).toMatchObject({
      totals: { pending: 0 },
    });
    const unknown = await project.queuert(["--profile", "prod", "status"]);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('no profile "prod". Profiles: live.');
  });

  it("reads variables of --env-file, and no .env by itself", async () => {
    const project = createProject();
    project.write("queuert.config.mjs", config('url: process.env["APP_STORE"]'));
    project.write(".env", "APP_STORE=sqlite:app.db\n");
    const without = await project.queuert(["status"]);
    expect(without.exitCode).toBe(2);
    expect(without.stderr).toContain("names no store");
    expect((await project.queuert(["--env-file", ".env", "migrate"])).exitCode).toBe(0);
    // Node 20 reads the option too, also behind the program, and then ends with 9.
    const { exitCode } = await project.queuert(["--env-file", "none.env", "status"]);
    expect([2, 9]).toContain(exitCode);
  });

  it("is made by `stateAdapter`, whose `close` runs at the end", async () => {
    const project = createProject();
    project.write(
      "queuert.config.mjs",
      `import { createInProcessStateAdapter } from "queuert";
export default {
  stateAdapter: async () => createInProcessStateAdapter(),
  close: () => console.error("closed"),
};`,
    );
    const { exitCode, stdout, stderr } = await project.queuert(["start", "greet"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "closed\n" });
    expect(stdout).toMatch(/^started greet [0-9a-f-]{36}\n$/);
  });
});

describe("a broken config", () => {
  it.each([
    ["export default { url: 1 };", "`url` of"],
    ["export default { ulr: 'sqlite:a.db' };", "`ulr` of"],
    ["export default { profiles: { live: { ulr: '' } } };", "`profiles.live.ulr` of"],
    ["export default { url: 'sqlite:a.db', stateAdapter: () => null };", "has both"],
    ["export default {};", "names no store"],
    ["export const config = {};", "has no config as its default export"],
    ["throw new Error('boom');", "could not be loaded: boom"],
    ["export default {", "could not be loaded"],
    ["import 'no-such-package'; export default {};", "could not be loaded"],
    ["export default { stateAdapter: () => ({}) };", "did not return a state adapter"],
    ["export default { url: 'mysql://root:hunter2@host/app' };", 'begins with "mysql:"'],
  ])("%s", async (text, problem) => {
    const project = createProject();
    project.write("queuert.config.mjs", text);
    const { exitCode, stdout, stderr } = await project.queuert(["status"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain("hunter2");
  });

  it("says that there is none", async () => {
    const { exitCode, stderr } = await createProject().queuert(["status"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("There is no store to work on.");
  });
});

describe("the stub", () => {
  it("names the package if it is missing, and exits with 2", () => {
    const folder = mkdtempSync(join(tmpdir(), "queuert-stub-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // A copy, since the stub also looks beside itself.
    const stub = join(folder, "queuert.mjs");
    copyFileSync(new URL("../../core/bin/queuert.mjs", import.meta.url), stub);
    const { status, stderr } = spawnSync(process.execPath, [stub, "status"], {
      cwd: folder,
      // pnpm names its own store of packages there.
      env: { ...process.env, NODE_PATH: "" },
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toBe(
      "QUEUERT_CLI_PACKAGE_MISSING: @queuert/cli is not installed in this project. " +
        "Run: npm install --save-dev @queuert/cli\n",
    );
  });
});

describe("wrong usage", () => {
  it.each([
    [["statsu"], "Did you mean status?"],
    [["status", "--jsno"], "Did you mean --json?"],
    [["start"], "missing required argument 'type'"],
    [["--timeout", "soon", "status"], "--timeout is"],
    [["--url", "sqlite:a.db", "--config", "b.mjs", "status"], "not both"],
    [["--url", "sqlite:a.db", "start", "greet", "--input", "Ada"], "--input is not JSON"],
    [["--url", "sqlite:a.db", "start", "greet", "--input", "@none.json"], "cannot be read"],
    [["init"], "There is no terminal to ask"],
    [["init", "--store", "oracle"], '"oracle" is not a store'],
  ])("%j: exit 2", async (args, problem) => {
    const { exitCode, stdout, stderr } = await createProject().queuert(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(problem);
  });
});
