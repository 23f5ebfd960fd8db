import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import { bearer, createWorkHandler, type WorkHandlerOptions } from "queuert/web";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const secret = "0123456789abcdef-secret";
const jobTypes = defineUnionJobTypes<{ mail: { input: string; output: null } }>();

const openClient = () =>
  createQueuert({
    stateAdapter: createInProcessStateAdapter(),
    jobTypeDefinitions: jobTypes,
    log: () => undefined,
  });

let queuert: Awaited<ReturnType<typeof openClient>>;
beforeEach(async () => {
  queuert = await openClient();
});
afterEach(() => queuert.close());

const createWorker = () =>
  queuert.createWorker().implementJobType({
    typeName: "mail",
    process: async ({ job, complete }) => {
      if (job.input === "bad") throw new Error("refused");
      return complete(null);
    },
  });

const start = (...inputs: readonly string[]) =>
  queuert.startJobSequences({
    autocommit: true,
    sequences: inputs.map((input) => ({ typeName: "mail" as const, input })),
  });

const createHandler = (options: Partial<WorkHandlerOptions> = {}) =>
  createWorkHandler({
    worker: createWorker(),
    authorize: bearer(secret),
    budgetMs: 5_000,
    ...options,
  });

const request = (authorization?: string, method = "POST"): Request =>
  new Request("https://example.com/work", {
    method,
    headers: authorization === undefined ? {} : { authorization },
  });

describe("createWorkHandler", () => {
  it("runs the jobs that are due, and answers with their number", async () => {
    await start("a", "b", "bad");
    const handle = createHandler();
    const response = await handle(request(`Bearer ${secret}`));
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ completed: 2, rescheduled: 1, failed: 0 });
    // Cron jobs of Vercel send GET.
    expect((await handle(request(`bearer ${secret}`, "GET"))).status).toBe(200);
  });

  it("runs no job for a request without the secret", async () => {
    await start("a");
    const handle = createHandler();
    const wrong = [
      undefined,
      "",
      secret,
      `Basic ${secret}`,
      `Bearer ${secret.toUpperCase()}`,
      `Bearer ${secret}x`,
      `Bearer ${secret.slice(1)}`,
      "Bearer",
      `Bearer x ${secret}`,
    ];
    for (const authorization of wrong) {
      const response = await handle(request(authorization));
      expect(response.status, authorization).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
    expect((await handle(request(`Bearer ${secret}`, "DELETE"))).status).toBe(405);
    const { items } = await queuert.listJobs();
    expect(items).toMatchObject([{ status: "pending", attempt: 0 }]);
  });

  it("makes its worker at the first request, and again after a failure", async () => {
    const errors: unknown[] = [];
    let made = 0;
    const handle = createHandler({
      worker: async () => {
        made += 1;
        if (made === 1) throw new Error("the database at db.internal is away");
        return createWorker();
      },
      onError: (error) => void errors.push(error),
    });
    expect(made).toBe(0);
    const failed = await handle(request(`Bearer ${secret}`));
    expect(failed.status).toBe(500);
    expect(await failed.text()).toBe('{"error":"error"}');
    expect(errors).toEqual([new Error("the database at db.internal is away")]);
    expect((await handle(request(`Bearer ${secret}`))).status).toBe(200);
    expect((await handle(request(`Bearer ${secret}`))).status).toBe(200);
    expect(made).toBe(2);
  });

  it("answers a closed client with the code of its error", async () => {
    const handle = createHandler({ onError: () => undefined });
    await queuert.close();
    const response = await handle(request(`Bearer ${secret}`));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: "QUEUERT_CLOSED" });
  });

  it("ends within its budget", async () => {
    await start("slow");
    let reason: unknown;
    const worker = queuert.createWorker().implementJobType({
      typeName: "mail",
      process: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(new Error("stopped"));
          });
        }),
    });
    const handle = createHandler({ worker, budgetMs: 300 });
    const response = await handle(request(`Bearer ${secret}`));
    expect(await response.json()).toMatchObject({ completed: 0, rescheduled: 1 });
    expect(reason).toBe("shutdown");
  });

  it("answers over a socket", async () => {
    await start("a");
    const handle = createHandler();
    const server = createServer((incoming, outgoing) => {
      const headers = { authorization: incoming.headers.authorization ?? "" };
      void handle(new Request("http://localhost/work", { method: "POST", headers })).then(
        async (response) => outgoing.writeHead(response.status).end(await response.text()),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/work`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await response.json()).toMatchObject({ completed: 1 });
    server.closeAllConnections();
    server.close();
  });

  it("refuses wrong options when it is made", () => {
    expect(() => createHandler({ budgetMs: -1 })).toThrow("`budgetMs`");
    expect(() => createHandler({ worker: {} as never })).toThrow("`worker`");
    expect(() => createHandler({ authorize: undefined as never })).toThrow("`authorize`");
    expect(() => createHandler({ budget: 1 } as never)).toThrow("`budget`");
  });
});

describe("bearer", () => {
  it("takes several secrets, and a function that reads them late", async () => {
    const old = "an-old-secret-of-length";
    const both = bearer([secret, old]);
    expect(await both(request(`Bearer ${old}`))).toBe(true);
    expect(await both(request(`Bearer ${secret}`))).toBe(true);
    const late: { secret?: string } = {};
    const lazy = bearer(() => late.secret);
    await expect(async () => lazy(request(`Bearer ${secret}`))).rejects.toThrow("`secret`");
    late.secret = secret;
    expect(await lazy(request(`Bearer ${secret}`))).toBe(true);
  });

  it("refuses a secret that is missing or short, and does not print it", () => {
    expect(() => bearer(undefined)).toThrow("Option `secret` is undefined");
    expect(() => bearer("short-secret")).toThrow(/^(?!.*short-secret)/);
    expect(() => bearer(["a-secret-of-the-app", "short"])).toThrow("is a string of 5 characters");
    expect(() => bearer([])).toThrow("`secret`");
    expect(() => bearer(["with a space in the middle"])).toThrow("without spaces");
  });
});
