import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProject } from "./project.ts";
import { createStore, storeKinds } from "./stores.ts";

const environment = (kind: string, url: string): Record<string, string> =>
  kind === "sqlite" ? {} : { DATABASE_URL: url, MONGODB_URL: url };

describe.each(storeKinds)("init for %s", (kind) => {
  it("writes a config and a worker that run a job", { timeout: 60_000 }, async () => {
    const project = createProject();
    const { url } = await createStore(kind, project.folder);
    const env = environment(kind, url);
    const run = (...args: string[]) => project.queuert(args, { env });
    const init = await run("init", "--store", kind);
    expect(init.exitCode, init.stderr).toBe(0);
    expect(init.stdout).toContain("wrote queuert.config.mjs\nwrote queuert.worker.mjs\n");
    expect((await run("init", "--yes")).exitCode).toBe(4);

    expect((await run("migrate")).exitCode).toBe(0);
    const started = await run("start", "greet", "--input", '"Ada"', "--json");
    const { id } = JSON.parse(started.stdout) as { id: string };
    const worker = spawn(process.execPath, ["queuert.worker.mjs"], {
      cwd: project.folder,
      env: { ...process.env, ...env },
    });
    onTestFinished(async () => {
      if (worker.exitCode === null) worker.kill("SIGKILL");
      if (worker.exitCode === null) await once(worker, "close");
    });
    for (;;) {
      const { stdout } = await run("status", "--json");
      const { totals } = JSON.parse(stdout) as { totals: { pending: number; running: number } };
      if (totals.pending + totals.running === 0) break;
    }
    const exited = once(worker, "exit");
    worker.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("init", () => {
  it("writes TypeScript beside a tsconfig, and takes the store of the project's packages", async () => {
    const project = createProject();
    project.write("package.json", JSON.stringify({ type: "module", dependencies: { pg: "8" } }));
    project.write("tsconfig.json", "{}");
    project.write("pnpm-lock.yaml", "");
    const { stdout } = await project.queuert(["init", "--yes"]);
    expect(stdout).toContain("  pnpm add queuert @queuert/postgres @queuert/cli\n");
    expect(readFileSync(join(project.folder, "queuert.config.ts"), "utf8")).toContain(
      "postgres://",
    );
    expect(existsSync(join(project.folder, "queuert.worker.ts"))).toBe(true);
  });
});

describe.each(storeKinds)("start and complete on %s", (kind) => {
  it("start a sequence once for a key, and complete it", async () => {
    const project = createProject();
    const { url } = await createStore(kind, project.folder);
    const run = (args: string[], stdin = "") => project.queuert(["--url", url, ...args], { stdin });
    await run(["migrate"]);
    const first = await run(["start", "approve", "--input", "@-", "--key", "a"], '{"by":"Ada"}');
    const [, id = ""] = /^started approve (\S+)\n$/.exec(first.stdout) ?? [];
    expect(id, first.stderr).not.toBe("");
    const second = await run(["start", "approve", "--key", "a", "--in", "1h", "--json"]);
    expect(JSON.parse(second.stdout)).toEqual({
      id,
      typeName: "approve",
      status: "pending",
      deduplicated: true,
    });
    const completed = await run(["complete", id, "--output", "true"]);
    expect(completed).toMatchObject({ exitCode: 0, stdout: `completed approve ${id}\n` });
    expect((await run(["complete", id, "--output", "true"])).exitCode).toBe(4);
    const unknown = "00000000-0000-7000-8000-000000000000";
    expect((await run(["complete", unknown, "--output", "true"])).exitCode).toBe(3);
  });
});

it("checks names and inputs by the catalogue of the config", async () => {
  const project = createProject();
  project.write(
    "queuert.config.mjs",
    `import { defineUnionJobTypes } from "queuert";
export default {
  url: "sqlite:app.db",
  jobTypeDefinitions: defineUnionJobTypes({ greet: { entry: true } }),
};`,
  );
  await project.queuert(["migrate"]);
  const { exitCode, stderr } = await project.queuert(["start", "great"]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    'QUEUERT_UNKNOWN_JOB_TYPE: Job type "great" is not defined. Did you mean "greet"?\n',
  );
});

it("ends silently if the reader of its output has gone", async () => {
  const project = createProject();
  await project.queuert(["--url", "sqlite:app.db", "migrate"]);
  const { child, ended } = project.start(["--url", "sqlite:app.db", "migrate", "--plan"]);
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ exitCode: 0, stderr: "" });
});

describe("completion", () => {
  const complete = async (words: readonly string[]): Promise<string[]> => {
    const project = createProject();
    const { stdout } = await project.queuert(["completion", "bash"]);
    project.write("completion.sh", stdout);
    const list = words.map((word) => `'${word}'`).join(" ");
    const code = `. ./completion.sh; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _queuert; echo "\${COMPREPLY[@]}"`;
    const { stdout: found, stderr } = spawnSync("bash", ["-c", code], {
      cwd: project.folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return found.trim().split(" ");
  };

  it("of bash knows commands, options and terms of filters", async () => {
    expect(await complete(["queuert", "st"])).toEqual(["status", "start"]);
    expect(await complete(["queuert", "migrate", "st"])).toEqual(["status"]);
    expect(await complete(["queuert", "retry", "--wh"])).toEqual(["--where"]);
    expect(await complete(["queuert", "list", "stat"])).toEqual(["status:"]);
    expect(await complete(["queuert", "list", "--js"])).toEqual(["--json", "--jsonl"]);
  });

  it("is there for zsh and fish, and no other shell", async () => {
    const project = createProject();
    expect((await project.queuert(["completion", "zsh"])).stdout).toContain("bashcompinit");
    expect((await project.queuert(["completion", "fish"])).stdout).toContain(
      "complete -c queuert -n __fish_use_subcommand -a status -d ",
    );
    expect((await project.queuert(["completion", "tcsh"])).exitCode).toBe(2);
  });
});

describe("explain-error", () => {
  it("prints the entry of a code without a store", async () => {
    const project = createProject();
    const { exitCode, stdout } = await project.queuert(["explain-error", "QUEUERT_PG_UNREACHABLE"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^QUEUERT_PG_UNREACHABLE: PgUnreachableError of @queuert\/postgres\n.+\nRemedy: .+\n$/,
    );
    const short = await project.queuert(["explain-error", "job_not_found", "--json"]);
    expect(JSON.parse(short.stdout)).toMatchObject({
      code: "QUEUERT_JOB_NOT_FOUND",
      className: "JobNotFoundError",
      from: "queuert",
    });
  });

  it("names codes that are near", async () => {
    const project = createProject();
    const { exitCode, stderr } = await project.queuert(["explain-error", "QUEUERT_JOB_FOUND"]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain("Did you mean QUEUERT_JOB_NOT_FOUND or");
  });
});
