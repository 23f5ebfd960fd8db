import { UnrecoverableJobError } from "queuert";
import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore, storeKinds } from "./stores.ts";

describe.each(storeKinds)("show --logs on %s", (kind) => {
  it("prints the lines of the attempts, without secret values, and the progress", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    const { id } = await client.startJobSequence({
      ...{ typeName: "charge", input: { order: "A-17" }, autocommit: true },
    });
    await client
      .createWorker()
      .implementJobType({
        typeName: "charge",
        process: async ({ log, progress }) => {
          log("charging", { order: "A-17", token: "hunter2" });
          log.error("the bank says\nno \u001b[31m");
          progress(0.5, "page 2 of 4");
          throw new UnrecoverableJobError("the bank does not answer");
        },
      })
      .drain();
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const shown = await run("show", id, "--logs", "--utc");
    expect(shown.exitCode, shown.stderr).toBe(0);
    const lines = shown.stdout.split("\n");
    expect(lines).toContain("progress   50 % page 2 of 4");
    expect(lines.slice(lines.indexOf("attempt 1"))).toEqual([
      "attempt 1",
      expect.stringMatching(
        /^ {2}\d{4}-\d\d-\d\dT[\d:]+Z info {2}charging \{"order":"A-17","token":"‹redacted›"\}$/,
      ),
      expect.stringMatching(/^ {2}\S+ error the bank says$/),
      "    no \\u{1b}[31m",
      "",
    ]);
    const document: unknown = JSON.parse((await run("show", id, "--logs", "--json")).stdout);
    expect(document).toMatchObject({
      job: { progress: { fraction: 0.5, note: "page 2 of 4" } },
      logs: [
        { number: 0, level: "info", message: "charging", attempt: 1 },
        { number: 1, level: "error", data: null },
      ],
    });
    expect((await run("show", id)).stdout).not.toContain("charging");
  });

  it("says that no lines are kept", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    const { id } = await client.startJobSequence({
      ...{ typeName: "greet", input: { name: "Ada" }, autocommit: true },
    });
    const { stdout } = await project.queuert(["--url", store.url, "show", id, "--logs"]);
    expect(stdout).toMatch(/no lines are kept\n$/);
  });
});
