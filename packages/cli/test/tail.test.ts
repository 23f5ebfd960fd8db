import { UnrecoverableJobError } from "queuert";
import { describe, expect, it } from "vitest";
import { createProject, type Running } from "./project.ts";
import { createStore, seed, storeKinds, type TestClient } from "./stores.ts";

/** Resolves when the output has this text. */
const until = async (running: Running, text: string): Promise<void> => {
  while (!running.output().includes(text)) {
    if (running.child.exitCode !== null) throw new Error(`It ended without ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Runs jobs of these types, which log a line each: `greet` completes when `release` does, and `charge` fails. */
const work = (client: TestClient, release: Promise<void>) =>
  client
    .createWorker()
    .implementJobType({
      typeName: "greet",
      process: async ({ job, log, complete }) => {
        log(`greeting ${job.input.name}`);
        await release;
        return complete("Hello");
      },
    })
    .implementJobType({
      typeName: "charge",
      process: async ({ log }) => {
        log.warn("charging");
        throw new UnrecoverableJobError("the bank does not answer");
      },
    })
    .start();

const startBoth = async (client: TestClient) => {
  const greeting = await client.startJobSequence({
    ...{ typeName: "greet", input: { name: "Ada" }, autocommit: true },
  });
  const charge = await client.startJobSequence({
    ...{ typeName: "charge", input: { order: "A-17" }, autocommit: true },
  });
  return { greeting, charge };
};

describe.each(storeKinds)("tail, types, --watch and --jsonl on %s", (kind) => {
  it("tail prints jobs as they end, and the lines of those that run", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const tail = project.start([
      "--url",
      store.url,
      "tail",
      "--logs",
      "--interval",
      "250ms",
      "--utc",
    ]);
    let errors = "";
    tail.child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    while (!errors.includes("waiting for jobs to end")) {
      if (tail.child.exitCode !== null) throw new Error(errors);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { greeting, charge } = await startBoth(client);
    const worker = await work(client, released);
    await until(tail, `greet ${greeting.id} `);
    await until(tail, `failed     charge  ${charge.id}`);
    release();
    await until(tail, `completed  greet  ${greeting.id}`);
    await worker.stop();
    tail.child.kill("SIGINT");
    const { stdout, exitCode } = await tail.ended;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/info {2}greeting Ada\n/);
    expect(stdout).toMatch(/ran \S+ \w+ {2}UnrecoverableJobError: the bank does not answer\n/);
    // Each end once, although each look goes back a few seconds.
    expect(stdout.split(`charge  ${charge.id}`)).toHaveLength(2);
  });

  it("tail --jsonl prints documents, of jobs that match", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    const args = ["--url", store.url, "tail", "type:charge", "--jsonl", "--interval", "250ms"];
    const tail = project.start(args);
    await new Promise<void>((resolve) => {
      tail.child.stderr?.once("data", () => resolve());
    });
    const { charge } = await startBoth(client);
    const worker = await work(client, Promise.resolve());
    await until(tail, charge.id);
    await worker.stop();
    tail.child.kill("SIGINT");
    const { stdout } = await tail.ended;
    const documents = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(documents).toMatchObject([{ job: { id: charge.id, status: "failed" } }]);
    const wrong = await project.queuert(["--url", store.url, "tail", "color:red"]);
    expect(wrong.exitCode).toBe(2);
  });

  it("types lists job types, and --jsonl prints an item a line", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const { stdout, stderr, exitCode } = await run("types");
    expect(exitCode, stderr).toBe(0);
    const [header, ...rows] = stdout.trim().split("\n");
    expect(header).toBe(
      "TYPE\tWORKERS\tPENDING\tBLOCKED\tRUNNING\tFAILED\tDONE/MIN\tFAILING\tP95 RUN\tP95 WAIT\tOLDEST DUE",
    );
    expect(rows.map((row) => row.split("\t")[0])).toEqual(["charge", "greet", "ship"]);
    const lines = (await run("types", "--jsonl")).stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { typeName: string }).typeName)).toEqual([
      ...["charge", "greet", "ship"],
    ]);
    const jobs = (await run("list", "--jsonl")).stdout.trim().split("\n");
    expect(jobs).toHaveLength(5);
    const failed = await run("show", "00000000-0000-7000-8000-000000000000", "--jsonl");
    expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: "QUEUERT_CLI_NOT_FOUND" } });
  });

  it("explain --watch ends when the job is finished, and status --watch goes on", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { client, laterId, failedId } = await seed(store);
    const explain = project.start(["--url", store.url, "explain", laterId, "--watch"]);
    await until(explain, "It goes on by itself.");
    await client.cancelJobSequences({ ids: [laterId] });
    expect(await explain.ended).toMatchObject({ exitCode: 0 });
    expect(explain.output()).toMatch(/It was cancelled [\s\S]*It is finished\.\n$/);
    const once = await project.queuert(["--url", store.url, "explain", failedId, "--watch"]);
    expect(once.stdout).toMatch(/It is finished\./);
    const status = project.start(["--url", store.url, "status", "--watch", "--jsonl"]);
    await until(status, "\n");
    while (status.output().trim().split("\n").length < 2) await until(status, "\n{");
    status.child.kill("SIGINT");
    expect((await status.ended).exitCode).toBe(130);
    for (const line of status.output().trim().split("\n")) {
      expect(JSON.parse(line)).toMatchObject({ store: kind });
    }
  });
});
