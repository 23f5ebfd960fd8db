// Traces of work that was undone, and the place of the user's own spans in them.
import { SpanStatusCode } from "@opentelemetry/api";
import { expect, it, vi } from "vitest";
import { openApp, payload, quick } from "./app.ts";
import { drawSpans } from "./sdk.ts";

class Declined extends Error {}

it("show each attempt, with the user's spans below each step", async () => {
  const { sdk, queuert, start, done } = await openApp();
  const mark = (name: string): void => sdk.tracer.startSpan(name).end();
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "task",
      retryConfig: { initialDelayMs: 1 },
      process: async ({ job, prepare, complete }) => {
        await prepare({ mode: job.attempt === 4 ? "atomic" : "staged" }, async () => {
          mark("query in prepare");
          if (job.attempt === 1) throw new Declined("prepare");
        });
        mark("call in process");
        const completion = await complete(async () => {
          mark("query in complete");
          if (job.attempt === 2) throw new Declined("complete");
          return payload;
        });
        if (job.attempt === 3) throw new Declined("after complete");
        return completion;
      },
    })
    .start(quick);
  await done((await start()).id);
  await worker.stop();
  const prepare = ["    prepare task", "      query in prepare"];
  const complete = ["    call in process", "    complete task", "      query in complete"];
  const settle = "    settle task";
  const story = sdk.spans().filter(({ name }) => name !== "await task");
  expect(drawSpans(story).split("\n")).toEqual([
    "start task",
    ...["  process task", ...prepare, settle],
    ...["  process task", ...prepare, ...complete, settle],
    ...["  process task", ...prepare, ...complete, settle],
    ...["  process task", ...prepare, ...complete, settle],
  ]);
  const attempts = story.filter(({ name }) => name === "process task");
  expect(attempts.map(({ status }) => status.message)).toEqual([
    "prepare",
    "complete",
    "after complete",
    undefined,
  ]);
  for (const { attributes, events, status } of attempts.slice(0, 3)) {
    expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(attributes["error.type"]).toBe("Declined");
    expect(events[0]?.attributes).toMatchObject({
      "exception.type": "Declined",
      "exception.message": status.message,
      "exception.stacktrace": expect.stringContaining("traces-of-failures"),
    });
  }
  const failed = { "error.type": "Declined", willRetry: true };
  expect(await sdk.value("queuert.job.attempt.failed", failed)).toBe(3);
});

it("show a start whose transaction was rolled back, without anything below it", async () => {
  const { sdk, queuert } = await openApp();
  const rolledBack = queuert.transaction(async (tx) => {
    await queuert.startJobSequence({ ...tx, typeName: "task", input: payload });
    throw new Error("changed their mind");
  });
  await expect(rolledBack).rejects.toThrow("changed their mind");
  expect(sdk.spans().map(({ name }) => name)).toEqual(["start task"]);
  expect(await sdk.value("queuert.job.created")).toBe(0);
});

/** A key of a payload, such as an address. */
const key = "alice@example.com";

it("leave out the path of a value that JSON cannot carry", async () => {
  const { sdk, queuert, start } = await openApp();
  const refused = queuert.transaction((tx) =>
    queuert.startJobSequence({ ...tx, typeName: "task", input: { [key]: 1n } as never }),
  );
  await expect(refused).rejects.toMatchObject({
    code: "QUEUERT_NOT_JSON",
    path: expect.stringContaining(key),
  });
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "task",
      retryConfig: { maxAttempts: 1 },
      process: async ({ complete }) => complete({ nested: { [key]: 1n } } as never),
    })
    .start(quick);
  await start();
  await vi.waitFor(() =>
    expect(sdk.spans().some(({ name }) => name === "process task")).toBe(true),
  );
  await worker.stop();
  const types = sdk.spans().map(({ attributes }) => attributes["error.type"]);
  expect(types.filter((type) => type === "QUEUERT_NOT_JSON").length).toBeGreaterThanOrEqual(2);
  const recorded = sdk
    .spans()
    .map(({ name, attributes, events, status }) =>
      JSON.stringify({ name, attributes, events, status }),
    )
    .join();
  expect(recorded).not.toContain(key);
  expect(recorded).toContain("a path that is left out here");
});
