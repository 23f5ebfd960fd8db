import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore, runUntilFinished, seed, storeKinds, type TestClient } from "./stores.ts";

/** Failed jobs, in the order of their creation. */
const failMany = async (client: TestClient, count: number): Promise<readonly string[]> => {
  const sequences = Array.from({ length: count }, (_, index) => ({
    typeName: "charge" as const,
    input: { order: `A-${index}` },
  }));
  const started = await client.startJobSequences({ sequences, autocommit: true });
  const ids = started.map(({ id }) => id);
  await runUntilFinished(client, ids);
  return ids;
};

describe.each(storeKinds)("retry, trigger and delete on %s", (kind) => {
  it("act on one job at once", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { client, failedId, laterId, dueId } = await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const plan = await run("retry", failedId, "--plan");
    expect(plan.exitCode, plan.stderr).toBe(5);
    expect(plan.stdout).toContain("would retry 1 job\n");
    expect(await client.getJob({ id: failedId })).toMatchObject({ status: "failed" });

    expect(await run("retry", failedId)).toEqual({
      exitCode: 0,
      stdout: "retried 1 job\n",
      stderr: "",
    });
    expect(await client.getJob({ id: failedId })).toMatchObject({ status: "pending" });
    expect(await run("trigger", laterId)).toMatchObject({
      exitCode: 0,
      stdout: "triggered 1 job\n",
    });
    const triggered = await client.getJob({ id: laterId });
    expect(triggered?.scheduledAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);

    // Not failed, and not there.
    const refused = await run("retry", dueId);
    expect(refused.exitCode).toBe(4);
    expect(refused.stdout).toContain(`1 refused: not_failed, such as ${dueId}\n`);
    expect((await run("retry", "00000000-0000-7000-8000-000000000000")).exitCode).toBe(3);
  });

  it("need the number of the plan for several jobs, and for a deletion", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    const ids = await failMany(client, 3);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const where = ["--where", "status:failed type:charge"];
    const without = await run("retry", ...where);
    expect(without.exitCode).toBe(5);
    expect(without.stderr).toBe("nothing was written; confirm with --yes --count 3\n");
    expect((await run("retry", ...where, "--yes")).exitCode).toBe(5);
    const wrong = await run("retry", ...where, "--yes", "--count", "4");
    expect(wrong.exitCode).toBe(4);
    expect(wrong.stderr).toContain("QUEUERT_PLAN_REFUSED");
    for (const id of ids) expect(await client.getJob({ id })).toMatchObject({ status: "failed" });

    const done = await run("retry", ...where, "--yes", "--count", "3", "--json");
    expect(done.exitCode, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      plan: { action: "retry", count: 3, confirm: "count", refused: [] },
      result: { done: 3, refused: 0, total: 3, isStopped: false },
    });
    expect(done.stdout).not.toContain("token");

    const [first = ""] = ids;
    expect((await run("delete", first)).exitCode).toBe(5);
    const deleted = await run("delete", ...ids, "--yes", "--count", "3");
    expect(deleted).toMatchObject({ exitCode: 0, stdout: "deleted 3 trees\n" });
    expect(await client.getJob({ id: first })).toBeUndefined();
  });

  it("refuse a read-only config, and ask for one job too if the config says so", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { client, failedId } = await seed(store);
    project.write(
      "queuert.config.mjs",
      `export default { url: ${JSON.stringify(store.url)}, confirm: "always", profiles: { live: { readOnly: true } } };`,
    );
    expect((await project.queuert(["--profile", "live", "retry", failedId])).exitCode).toBe(4);
    // A plan tries the retry, and rolls it back.
    const planned = await project.queuert(["--profile", "live", "retry", failedId, "--plan"]);
    expect(planned.exitCode).toBe(4);
    expect((await project.queuert(["retry", failedId])).exitCode).toBe(5);
    expect(await client.getJob({ id: failedId })).toMatchObject({ status: "failed" });
    expect((await project.queuert(["retry", failedId, "--yes", "--count", "1"])).exitCode).toBe(0);
  });
});

describe("a question in a terminal", () => {
  it("deletes for the number, and leaves for anything else", async () => {
    const project = createProject();
    const store = await createStore("sqlite", project.folder);
    const { client, dueId } = await seed(store);
    const args = ["--url", store.url, "delete", dueId];
    const left = await project.terminal(args, { stdin: "y\n", env: { NO_COLOR: "1" } });
    expect(left.exitCode).toBe(5);
    expect(left.stdout).toContain("would delete 1 tree\n");
    expect(await client.getJob({ id: dueId })).toBeDefined();
    const gone = await project.terminal(args, { stdin: "1\n", env: { NO_COLOR: "1" } });
    expect(gone.exitCode, gone.stdout).toBe(0);
    expect(gone.stdout).toContain("deleted 1 tree\n");
    expect(await client.getJob({ id: dueId })).toBeUndefined();
  });

  it("draws the status again until q", async () => {
    const project = createProject();
    const store = await createStore("sqlite", project.folder);
    await seed(store);
    const args = ["--url", store.url, "top", "--interval", "250ms"];
    const { exitCode, stdout } = await project.terminal(args, { stdin: "q" });
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain("due 1   later 1   blocked 1");
    // Back on the screen of the shell, with its cursor.
    expect(stdout).toContain("\u001b[?25h\u001b[?1049l");
    expect((await project.queuert(args)).exitCode).toBe(2);
  });
});

describe.each(storeKinds)("top on %s", (kind) => {
  it("selects a type, explains and lists its jobs, pauses and resumes it", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { client } = await seed(store);
    const args = ["--url", store.url, "top", "--interval", "60s"];
    const { screen, press } = project.inTerminal(args, { columns: 120, rows: 40 });
    // The busiest type is the first row.
    await screen(/› +greet[^]*by busiest/);
    press("p");
    await screen("pause greet? y");
    press("n");
    await screen("by busiest");
    expect(await client.getPauses()).toEqual([]);
    press("py");
    await screen("paused greet");
    expect(await client.getPauses()).toMatchObject([{ jobType: "greet" }]);
    press("e");
    await screen("The job type greet was paused");
    press("\r");
    await screen(/ID +STATUS +ATTEMPT/);
    press("p");
    await screen("resume greet? y");
    press("y");
    await screen("resumed greet");
    expect(await client.getPauses()).toEqual([]);
    press("s");
    await screen("by due");
    press("j");
    await screen(/› +(charge|ship)/);
    press("q");
    await screen("\u001b[?25h\u001b[?1049l");
  });
});

describe("SIGINT during a retry", () => {
  it("stops between two steps, prints the number done and exits with 130", async () => {
    const project = createProject();
    const store = await createStore("postgres", project.folder);
    const client = await store.open();
    const ids = await failMany(client, 1_200);
    const held = ids[700] ?? "";
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isHeld = (): void => undefined;
    const locked = new Promise<void>((resolve) => (isHeld = resolve));
    // The second step of 500 waits for this job.
    const holding = client
      .transaction(async (context) => {
        await client.retryFailedJobs({ ...context, ids: [held] });
        isHeld();
        await released;
        throw new Error("roll back");
      })
      .catch(() => undefined);
    await locked;
    const args = ["retry", "--where", "status:failed", "--yes", "--count", "1200"];
    const { child, ended } = project.start(["--url", store.url, ...args]);
    for (;;) {
      const job = await client.getJob({ id: ids[499] ?? "" });
      if (job?.status === "pending") break;
    }
    child.kill("SIGINT");
    release();
    await holding;
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(130);
    const [, done = ""] = /^retried ([\d,]+) jobs, then stopped: /.exec(stdout) ?? [];
    expect([500, 1_000], stdout).toContain(Number(done.replace(",", "")));
    const failed = await client.listJobs({ status: "failed", limit: 1_000 });
    expect(failed.items).toHaveLength(1_200 - Number(done.replace(",", "")));
  });
});
