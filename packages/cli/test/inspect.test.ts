import { describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";
import { createStore, seed, storeKinds } from "./stores.ts";

const document = async (project: Project, args: readonly string[]): Promise<unknown> => {
  const { exitCode, stdout, stderr } = await project.queuert([...args, "--json"]);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
};

const idsOf = (page: unknown): string[] =>
  (page as { items: { id: string }[] }).items.map(({ id }) => id);

describe.each(storeKinds)("list, show, explain and failures on %s", (kind) => {
  it("find the same jobs by a filter, as a table and as JSON", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { failedId, blockedId, completedId, dueId, laterId } = await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const find = async (...terms: string[]) =>
      idsOf(await document(project, ["--url", store.url, "list", ...terms]));

    expect(await find()).toEqual([laterId, dueId, failedId, blockedId, completedId]);
    expect(await find("--order", "asc", "--limit", "2")).toEqual([completedId, blockedId]);
    expect(await find("status:failed")).toEqual([failedId]);
    expect(await find("error:does not answer")).toEqual([failedId]);
    expect(await find('error:"does not answer" type:greet')).toEqual([]);
    expect(await find("input.name:Ada")).toEqual([dueId]);
    expect(await find(`id:${failedId.slice(0, 30)}`)).toContain(failedId);

    const table = await run("list", "status:failed", "--columns", "id,type,error,input.order");
    expect(table.stdout).toBe(
      `ID\tTYPE\tERROR\tINPUT.ORDER\n${failedId}\tcharge\tUnrecoverableJobError: the bank does not answer\tA-17\n`,
    );
    expect(await run("list", "type:none")).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "no job matches\n",
    });

    const next = ["list", "type:greet", "--order", "next", "--columns", "id"];
    expect((await run(...next)).stdout).toBe(`ID\n${dueId}\n`);

    const first = await run("list", "--limit", "2", "--columns", "id");
    const [, cursor = ""] = /--cursor (\S+)/.exec(first.stderr) ?? [];
    const second = await run("list", "--columns", "id", "--cursor", cursor);
    expect(first.stdout + second.stdout).toBe(
      ["ID", laterId, dueId, "ID", failedId, blockedId, completedId, ""].join("\n"),
    );
  });

  it("explain the root cause, with the command that helps", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { failedId, blockedId, dueId } = await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const explained = await run("explain", blockedId);
    expect(explained.exitCode, explained.stderr).toBe(0);
    expect(explained.stdout).toContain(`waits for charge ${failedId}, failed  ← root cause\n`);
    expect(explained.stdout).toContain("It does not go on by itself.\n");
    expect(explained.stdout).toContain(`  queuert retry ${failedId}   Runs charge `);
    const both = await document(project, ["--url", store.url, "explain", blockedId, dueId]);
    expect(both).toMatchObject([
      { jobId: blockedId, verdict: "stuck", rootCause: { reason: { kind: "failed" } } },
      // Stuck, where the store knows that no worker lives.
      {
        jobId: dueId,
        verdict: expect.stringMatching(/^(will_run|stuck)$/) as unknown,
        rootCause: null,
      },
    ]);
    const unknown = await run("explain", "00000000-0000-7000-8000-000000000000");
    expect(unknown.exitCode).toBe(3);
  });

  it("show a job by the beginning of its id, and its tree", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { failedId, blockedId, laterId } = await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const shown = await run("show", laterId.slice(0, 35), "--utc");
    expect(shown.exitCode, shown.stderr).toBe(0);
    expect(shown.stdout).toContain(`id         ${laterId}\n`);
    expect(shown.stdout).toMatch(/^due {8}\d{4}-\d\d-\d\dT[\d:]+Z \(in 3 d\)$/m);
    expect(shown.stdout).not.toContain("Alan");

    const tree = await run("show", blockedId, "--tree");
    expect(tree.stdout).toContain(
      `◔ ship ${blockedId} blocked\n  waits for ✕ charge ${failedId} failed\n`,
    );
    expect((await run("show", "00000000-0000-7000-8000-000000000000")).exitCode).toBe(3);
    expect((await run("show", "0")).exitCode).toBe(2);
    expect((await run("show", "no such id")).exitCode).toBe(3);
  });

  it("count the jobs that match, and page the jobs that wait for a sequence", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { failedId, blockedId } = await seed(store);
    const of = (...args: string[]) => document(project, ["--url", store.url, ...args]);
    expect(await of("list", "--count")).toEqual({ count: 5, isAtLeast: false });
    expect(await of("list", "status:pending", "--count")).toMatchObject({ count: 2 });
    expect(await of("list", 'input:"Ada"', "--count")).toMatchObject({ count: 1 });
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    expect((await run("list", "type:greet", "--count")).stdout).toBe("3\n");
    const shown = await run("show", failedId, "--dependants");
    expect(shown.stdout).toContain(`dependants\n  ${blockedId}  ship  blocked\n`);
    const none = await of("show", blockedId, "--dependants");
    expect(none).toMatchObject({ dependants: { items: [], nextCursor: null } });
    const bad = await run("show", failedId, "--dependants", "--cursor", "x");
    expect([bad.exitCode, bad.stderr]).toEqual([2, expect.stringContaining("at position 0")]);
  });

  it("hide secret values unless asked for", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { laterId } = await seed(store);
    project.write(
      "queuert.config.mjs",
      `export default { url: ${JSON.stringify(store.url)}, redact: { greet: ["name"] } };`,
    );
    const outputs = await Promise.all([
      project.queuert(["show", laterId, "--payload"]),
      project.queuert(["show", laterId, "--payload", "--json"]),
      project.queuert(["list", "--columns", "id,input"]),
      project.queuert(["list", "--json"]),
    ]);
    for (const { stdout, exitCode } of outputs) {
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain("hunter2");
      expect(stdout).not.toContain("Alan");
    }
    expect((await project.queuert(["show", laterId, "--raw"])).stdout).toContain("hunter2");
    // A search must not be a way to guess them.
    expect((await project.queuert(["list", "input.name:Alan"])).exitCode).toBe(2);
  });

  it("group failures by cause", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { failedId } = await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const { stdout, stderr } = await run("failures");
    expect(stdout).toMatch(
      new RegExp(
        `^1\\tcharge\\tUnrecoverableJobError: the bank does not answer\\t[\\d-]+T.*\\t${failedId}$`,
        "m",
      ),
    );
    const [, where = ""] = /--where '([^']+)' --plan/.exec(stderr) ?? [];
    const plan = await run("retry", "--where", where, "--plan", "--json");
    expect(JSON.parse(plan.stdout)).toMatchObject({ plan: { count: 1 } });
    expect(await run("failures", "type:greet")).toMatchObject({
      stdout: "",
      stderr: "no failed job matches\n",
    });
  });
});

describe.each(storeKinds)("workers, attempts and export on %s", (kind) => {
  it("name the workers that reported, if the store keeps them", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { client } = await seed(store);
    const worker = await client
      .createWorker()
      .implementJobType({ typeName: "greet", process: ({ complete }) => complete("Hello") })
      .start({ workerId: "mailer-1", concurrency: 7 });
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const status = await document(project, ["--url", store.url, "status"]);
    const hasRegistry = (status as { workers: unknown }).workers !== null;
    const listed = await run("workers");
    const json = (await document(project, ["--url", store.url, "workers"])) as object[];
    await worker.stop();
    if (!hasRegistry) {
      expect(listed).toMatchObject({ exitCode: 0, stderr: "no worker has reported\n" });
      return;
    }
    expect(listed.stdout).toMatch(/^mailer-1\tonline\t.*\t\d\/7\t\d+\.\d+\.\d+\S*\tgreet$/m);
    expect(json).toContainEqual(
      expect.objectContaining({ workerId: "mailer-1", presence: "online", concurrency: 7 }),
    );
    // The worker of the seed, and this one.
    expect((await run("workers")).stdout).toMatch(/^mailer-1\tgone\t/m);
  });

  it("show the attempts that failed", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { failedId } = await seed(store);
    const args = ["--url", store.url, "show", failedId, "--attempts"];
    const { stdout } = await project.queuert(args);
    const shown = (await document(project, args)) as { job: { attempts: object[] | null } };
    if (shown.job.attempts === null) {
      expect(stdout).toContain("attempts are not kept in this store\n");
      return;
    }
    expect(shown.job.attempts).toMatchObject([{ attempt: 1, outcome: "failed" }]);
    expect(stdout).toMatch(
      /^#1 .* ran .* failed\n {2}UnrecoverableJobError: the bank does not answer$/m,
    );
  });

  it("print every job once, with whole payloads", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    const sequences = Array.from({ length: 250 }, (_, index) => ({
      typeName: "greet" as const,
      input: { name: `${index} ${"x".repeat(2_000)}`, password: "hunter2" },
    }));
    const started = await client.startJobSequences({ sequences, autocommit: true });
    const run = (...args: string[]) => project.queuert(["--url", store.url, "export", ...args]);
    const { stdout, stderr, exitCode } = await run("type:greet");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "250 jobs\n" });
    const jobs = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; input: { name: string } });
    expect(jobs.map(({ id }) => id)).toEqual(started.map(({ id }) => id));
    expect(jobs[249]?.input).toEqual({
      name: `249 ${"x".repeat(2_000)}`,
      password: "‹redacted›",
    });
    expect((await run("--raw")).stdout).toContain("hunter2");
  });
});

describe("a bad filter", () => {
  it.each([
    [["list", "typ:a"], "did you mean `type:`"],
    [["list", "status:faild"], "did you mean `failed`"],
    [["list", "since:soon"], "position"],
    [["list", 'error:"open'], "quote that is not closed"],
    [["list", "--limit", "0"], "--limit is"],
    [["list", "--order", "up"], "--order is"],
    [["list", "--order", "next"], "each type has an order of its own"],
    [["export", "--order", "next"], "--order is"],
    [["list", "--columns", "id,nothing"], 'no column "nothing"'],
    [["list", "--cursor", "abc"], "cursor"],
    [["failures", "typ:a"], "did you mean `type:`"],
    [["retry", "--where", ""], "an empty filter does not mean all jobs"],
    [["retry", "--where", "  "], "an empty filter does not mean all jobs"],
    [["retry"], "Give ids to retry, or --where"],
    [["retry", "a", "--where", "status:failed"], "Give ids to retry, or --where"],
    [["delete", "a", "--count", "x"], "--count is"],
    [["retry", "a", "--pace", "often"], "--pace is"],
    [["retry", "a", "--pace", "5/h"], "--pace is"],
  ])("%j: exit 2, and the reason", async (args, problem) => {
    const project = createProject();
    await project.queuert(["--url", "sqlite:app.db", "migrate"]);
    const { exitCode, stdout, stderr } = await project.queuert(["--url", "sqlite:app.db", ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(problem);
  });
});

describe("hostile texts of a job", () => {
  it("cannot reach the terminal, and tables fit 80 columns", async () => {
    const project = createProject();
    const evil = "\u001b[2J\u0007\u202e<script>\u2028\u009b31m";
    const args = ["--url", "sqlite:app.db"];
    await project.queuert([...args, "migrate"]);
    const input = JSON.stringify({ evil, long: "x".repeat(10_000) });
    const started = await project.queuert(
      [...args, ...["start", `type${evil}`, "--key", `key${evil}`, "--input", "@-"], "--json"],
      { stdin: input },
    );
    const { id } = JSON.parse(started.stdout) as { id: string };
    for (const command of [
      ["list", "--columns", "id,type,key,input,why"],
      ["show", id, "--raw", "--tree"],
      ["explain", id],
      ["status"],
    ]) {
      const { stdout, exitCode } = await project.terminal([...args, ...command], {
        env: { NO_COLOR: "1" },
      });
      expect(exitCode, stdout).toBe(0);
      // oxlint-disable-next-line no-control-regex -- they must not be there
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/);
      if (command[0] === "list")
        expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    }
  });
});
