import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { createQueuert } from "queuert";
import { expect, it, onTestFinished } from "vitest";
import { createOtelObservabilityAdapter } from "../src/index.ts";
import { payload } from "./app.ts";
import { jobTypes } from "./job-types.ts";
import { createSdk } from "./sdk.ts";

// Sources run as they are: tsx is a tool of the workspace, not of this package.
const root = fileURLToPath(new URL("../../../package.json", import.meta.url));
const tsx = pathToFileURL(createRequire(root).resolve("tsx")).href;
const script = fileURLToPath(new URL("processes/worker.ts", import.meta.url));

interface ToldSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
}

const startWorker = (url: string) => {
  const parameters = [
    "--no-warnings",
    "--conditions=@queuert/source",
    "--import",
    tsx,
    script,
    url,
  ];
  const child = spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const spans: ToldSpan[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    spans.push(JSON.parse(line) as ToldSpan);
  });
  const stop = async (): Promise<readonly ToldSpan[]> => {
    child.stdin.end();
    await once(child, "close");
    return spans;
  };
  return { stop, kill: () => child.kill("SIGKILL") };
};

it("continues a trace through the database, in processes started and restarted", async () => {
  const { url } = await providedPostgres().createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  onTestFinished(() => pool.end());
  const stateProvider = createPgPoolStateProvider(pool);
  const stateAdapter = await createPgStateAdapter({ stateProvider });
  await stateAdapter.migrateToLatest();
  const sdk = createSdk();
  const { meter, tracer } = sdk;
  const queuert = await createQueuert({
    stateAdapter,
    jobTypeDefinitions: jobTypes,
    observabilityAdapter: createOtelObservabilityAdapter({ meter, tracer }),
  });
  onTestFinished(() => queuert.close());

  const { id } = await queuert.transaction((tx) =>
    queuert.startJobSequence({
      ...tx,
      typeName: "waiting",
      input: payload,
      startBlockers: async () => [
        await queuert.startJobSequence({ ...tx, typeName: "task", input: payload }),
      ],
    }),
  );
  const first = startWorker(url);
  const timeoutMs = 15_000;
  await queuert.waitForJobSequenceCompletion({ id, typeName: "waiting", timeoutMs });
  const told = [...(await first.stop())];

  const chain = await queuert.transaction((tx) =>
    queuert.startJobSequence({ ...tx, typeName: "first", input: payload }),
  );
  const second = startWorker(url);
  await queuert.waitForJobSequenceCompletion({ id: chain.id, typeName: "first", timeoutMs });
  told.push(...(await second.stop()));

  const started = new Map(sdk.spans().map((span) => [span.name, span.spanContext()]));
  const spanOf = (name: string): ToldSpan | undefined => told.find((span) => span.name === name);
  for (const [child, parent] of [
    ["process task", "start task"],
    ["process waiting", "start waiting"],
    ["process first", "start first"],
  ] as const) {
    expect(spanOf(child)).toMatchObject({
      traceId: started.get(parent)?.traceId,
      parentId: started.get(parent)?.spanId,
    });
  }
  expect(spanOf("process second")).toMatchObject({
    traceId: started.get("start first")?.traceId,
    parentId: spanOf("process first")?.spanId,
  });
  expect(spanOf("process task")?.traceId).toBe(spanOf("process waiting")?.traceId);
  expect(JSON.stringify(told)).not.toContain(payload.secret);
}, 40_000);
