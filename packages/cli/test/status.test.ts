import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore, seed, storeKinds } from "./stores.ts";

describe.each(storeKinds)("status on %s", (kind) => {
  it("counts jobs, as text and as one JSON document", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    await seed(store);
    const text = await project.queuert(["--url", store.url, "status"]);
    expect(text).toMatchObject({ exitCode: 0, stderr: "" });
    expect(text.stdout).toMatch(
      /due 1 {3}later 1 {3}blocked 1 {3}running 0 {3}failed 1 {3}done\/min 0\.2 {3}oldest due /,
    );
    expect(text.stdout).toContain(
      "✕ 1 blocked job waits for sequences that failed.   queuert list ",
    );
    // Not a terminal: separated by tabs.
    expect(text.stdout).toContain("TYPE\tDUE\tLATER\tBLOCKED\tRUNNING\tFAILED\tOLDEST DUE\n");
    expect(text.stdout).toMatch(/^greet\t1\t1\t–\t–\t–\t\d/m);

    const json = await project.queuert(["--url", store.url, "status", "--json"]);
    const document = JSON.parse(json.stdout) as { totals: { oldestDueMs: number } };
    expect(document).toEqual({
      store: kind,
      environment: null,
      at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      attention: expect.arrayContaining([
        {
          kind: "blocked_by_failed",
          severity: "error",
          typeName: null,
          count: 1,
          text: "1 blocked job waits for sequences that failed.",
          filter: "status:blocked",
        },
      ]) as unknown,
      totals: {
        pending: 2,
        due: 1,
        blocked: 1,
        running: 0,
        failed: 1,
        oldestDueMs: expect.any(Number) as unknown,
      },
      types: ["charge", "greet", "ship"].map((typeName) => expect.objectContaining({ typeName })),
      pauses: [],
      limits: [],
      // The worker of the seed has stopped.
      workers: expect.toSatisfy((value) => value === null || typeof value === "object") as unknown,
    });
    expect(document.totals.oldestDueMs).toBeGreaterThanOrEqual(0);
  });

  it("exits with 6 if a check does not hold, and the doctor reports the blocked job", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const bad = await run("status", "--check", "failed<1 oldest-due<1h");
    expect(bad.exitCode).toBe(6);
    expect(bad.stdout).toContain("fail failed<1 (1)\n");
    expect(bad.stdout).toContain("ok   oldest-due<1h (");
    expect((await run("status", "--check", "failed<=1 pending=2")).exitCode).toBe(0);

    const doctor = await run("doctor", "--json");
    expect(doctor.exitCode, doctor.stderr).toBe(6);
    const { findings } = JSON.parse(doctor.stdout) as {
      findings: { level: string; check: string }[];
    };
    expect(findings.filter(({ level }) => level !== "ok")).toContainEqual({
      level: "fail",
      check: "jobs",
      text: "1 blocked job waits for sequences that failed.",
    });
    expect(
      findings.filter(({ check }) => check !== "jobs").map(({ level }) => level),
    ).not.toContain("fail");
  });
});

describe("status --check", () => {
  it.each([
    ["", "is empty"],
    ["failed", "is not a condition"],
    ["constructor<1", "is not a condition"],
    ["failed<many", "is not a whole number"],
    ["oldest-due<5", "give a number with a unit"],
  ])("refuses %j before it opens a store", async (check, problem) => {
    const project = createProject();
    const { exitCode, stderr } = await project.queuert([
      "--url",
      "postgres://nowhere.invalid/app",
      "status",
      "--check",
      check,
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(problem) as unknown,
    });
  });
});

describe("an unreachable store", () => {
  it.each([
    ["postgres://127.0.0.1:9/app", "QUEUERT_PG_UNREACHABLE"],
    ["mongodb://127.0.0.1:9/app", "QUEUERT_MONGODB_UNREACHABLE"],
    ["sqlite:missing/app.db", "QUEUERT_CLI_UNREACHABLE"],
  ])("%s: exit 7, named on stderr", async (url, code) => {
    const project = createProject();
    const args = ["--url", url, "--timeout", "5s", "status"];
    const { exitCode, stdout, stderr } = await project.queuert(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: "" });
    expect(stderr).toContain(code);
    const json = await project.queuert([...args, "--json"]);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code } });
  });
});

describe.each(storeKinds)("limits on %s", (kind) => {
  it("are listed with the keys that were changed, also by the status", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    await client.setLimits({
      limits: [{ name: "greet", concurrency: 5, perKey: { concurrency: 2 } }],
    });
    await client.setLimitKeys({ keys: [{ limit: "greet", key: "acme", concurrency: 1 }] });
    const { stdout } = await project.queuert(["--url", store.url, "status"]);
    expect(stdout).toContain("LIMIT\tRUN/MAX\tTOKENS\tPENDING\t\n");
    expect(stdout).toContain("greet\t0/5\t–\t–\t\n");
    expect(stdout).toContain("  acme\t0/1\t–\t0\t\n");
    const listed = await project.queuert(["--url", store.url, "limits"]);
    expect(listed.stdout).toBe(
      "LIMIT\tRUN/MAX\tTOKENS\tPENDING\t\ngreet\t0/5\t–\t–\t\n  acme\t0/1\t–\t0\t\n",
    );
    const lines = (await project.queuert(["--url", store.url, "limits", "--jsonl"])).stdout;
    expect(JSON.parse(lines)).toMatchObject({ name: "greet", keys: [{ key: "acme" }] });
  });

  it("are none", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    await store.open();
    expect(await project.queuert(["--url", store.url, "limits"])).toMatchObject({
      ...{ exitCode: 0, stdout: "", stderr: "there is no limit\n" },
    });
  });
});
