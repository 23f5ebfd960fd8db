// Hints of changes, and the load of many open pages.
import { createInProcessNotifyAdapter, createInProcessStateAdapter } from "queuert";
import { describe, expect, it, onTestFinished } from "vitest";
import { aClient, aDashboard, origin, type TestDashboard } from "./a-dashboard.ts";

const event = "data:\n\n";

/** The events of a stream, one at a time. */
const listen = async (
  { dashboard }: Pick<TestDashboard, "dashboard">,
  query = "",
): Promise<{ readonly next: () => Promise<string>; readonly close: () => Promise<void> }> => {
  const response = await dashboard.fetch(new Request(`${origin}/queues/api/v1/live${query}`));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const next = async (): Promise<string> => {
    const { value, done } = await reader.read();
    return done ? "end" : new TextDecoder().decode(value);
  };
  expect(await next()).toBe("retry: 5000\n\n");
  // It listens from here on.
  expect(await next()).toBe(event);
  return { next, close: () => reader.cancel() };
};

describe("hints", () => {
  it("tell of a start in this process, and of one in another process through a notify adapter", async () => {
    const stateAdapter = createInProcessStateAdapter();
    const notifyAdapter = createInProcessNotifyAdapter();
    const client = await aClient(() => stateAdapter, notifyAdapter);
    const own = await aDashboard({ queuert: client });
    const other = await aClient(() => stateAdapter, notifyAdapter);
    expect((await own.get("session")).body).toMatchObject({ features: { hints: true } });
    const start = { typeName: "send-mail", input: null, autocommit: true } as const;
    await other.startJobSequence(start);
    const { next, close } = await listen(own);
    onTestFinished(close);
    await other.startJobSequence(start);
    expect(await next()).toBe(event);
    await client.startJobSequence(start);
    expect(await next()).toBe(event);
  });

  it("take no job from a worker", async () => {
    const stateAdapter = createInProcessStateAdapter();
    const notifyAdapter = createInProcessNotifyAdapter();
    const queuert = await aClient(() => stateAdapter, notifyAdapter);
    const watching = await aDashboard({
      queuert: await aClient(() => stateAdapter, notifyAdapter),
    });
    const start = { typeName: "send-mail", input: null, autocommit: true } as const;
    await queuert.startJobSequence(start);
    const streams = await Promise.all([1, 2, 3].map(() => listen(watching)));
    onTestFinished(async () => {
      await Promise.all(streams.map(({ close }) => close()));
    });
    const done: string[] = [];
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "send-mail",
        process: async ({ job, complete }) => {
          done.push(job.id);
          return complete(null);
        },
      })
      // The worker polls once an hour: it finds the job by its notification, or the test ends.
      .start({ workerId: "one", pollIntervalMs: 3_600_000 });
    onTestFinished(() => worker.stop());
    await expect.poll(() => done.length).toBe(1);
    await queuert.startJobSequence(start);
    await expect.poll(() => done.length).toBe(2);
  });

  it("tell of the end of the sequence that is watched", async () => {
    const stateAdapter = createInProcessStateAdapter();
    const notifyAdapter = createInProcessNotifyAdapter();
    const watching = await aDashboard({
      queuert: await aClient(() => stateAdapter, notifyAdapter),
    });
    const other = await aClient(() => stateAdapter, notifyAdapter);
    const { id } = await other.startJobSequence({
      typeName: "approve",
      input: null,
      schedule: { afterMs: 3_600_000 },
      autocommit: true,
    });
    const { next, close } = await listen(watching, `?sequence=${id}`);
    onTestFinished(close);
    await other.cancelJobSequences({ ids: [id] });
    expect(await next()).toBe(event);
  });

  it("end with the client, and refuse one page too many", async () => {
    const dashboard = await aDashboard();
    const streams = await Promise.all(Array.from({ length: 200 }, () => listen(dashboard)));
    expect((await dashboard.get("live")).status).toBe(429);
    await streams[0]?.close();
    expect((await dashboard.get("live")).status).toBe(200);
    await Promise.all(streams.map(({ close }) => close()));
  });
});

/** The requests of each page, as it sends them while it is open. */
const pages: Readonly<Record<string, readonly string[]>> = {
  overview: ["overview", "metrics?range=1h"],
  jobs: ["overview", "jobs?q=type:send-mail&limit=50"],
  job: ["overview", "job?id=ID", "explain?id=ID", "tree?sequence=ID"],
  failures: ["overview", "failures"],
  type: ["overview", "metrics?range=1h&type=send-mail", "workers", "failures?q=type:send-mail"],
  workers: ["overview", "workers"],
};

describe("the load of open pages", () => {
  it.each(Object.entries(pages))("of ten on %s is that of one", async (_name, paths) => {
    let calls = 0;
    let gate: Promise<void> = Promise.resolve();
    const counted = <TObject extends object>(object: TObject): TObject =>
      new Proxy(object, {
        get: (target, name, receiver) => {
          const member: unknown = Reflect.get(target, name, receiver);
          if (name === "operator") return counted(member as object);
          if (typeof member !== "function") return member;
          return async (...args: unknown[]) => {
            calls++;
            await gate;
            return (member as (...given: unknown[]) => unknown).apply(target, args);
          };
        },
      });
    /** Calls of the store for so many pages that ask at the same time. */
    const callsOf = async (pageCount: number): Promise<number> => {
      const dashboard = await aDashboard({ authorize: () => "view" }, counted);
      const id = await dashboard.start("send-mail", null, { schedule: { afterMs: 60_000 } });
      let open = (): void => undefined;
      gate = new Promise((resolve) => (open = resolve));
      calls = 0;
      const asked = Array.from({ length: pageCount }, () =>
        paths.map((path) => dashboard.get(path.replaceAll("ID", id))),
      ).flat();
      // All requests are under way before the store answers the first one.
      await new Promise((resolve) => setImmediate(resolve));
      open();
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
      return calls;
    };
    const alone = await callsOf(1);
    expect(alone).toBeGreaterThan(0);
    expect(await callsOf(10)).toBe(alone);
  });

  it("shows a write at the next look", async () => {
    const { get, post, start } = await aDashboard();
    const id = await start("send-mail", null, { schedule: { afterMs: 60_000 } });
    const due = async (): Promise<unknown> =>
      ((await get(`job?id=${id}`)).body as { job: { why: { kind: string } } }).job.why.kind;
    expect(await due()).toBe("scheduled");
    expect((await post("act", { action: "trigger", id })).status).toBe(200);
    expect(await due()).toBe("no_worker");
  });

  it("shares no answer between people that see payloads and people that do not", async () => {
    let rights: "view" | "admin" = "admin";
    const { get, start } = await aDashboard({ authorize: () => rights });
    await start("send-mail", { to: "ada@example.com" });
    expect((await get("jobs")).text).toContain("ada@");
    rights = "view";
    expect((await get("jobs")).text).not.toContain("ada@");
  });
});
