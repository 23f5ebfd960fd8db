import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createDashboard, DashboardError } from "@queuert/dashboard";
import { InvalidOptionError, QueuertError } from "queuert";
import { aClient, aDashboard, origin } from "./a-dashboard.ts";

afterEach(() => vi.unstubAllEnvs());

describe("a dashboard without a login", () => {
  it("needs `authorize`, and is refused in production unless it is allowed in words", async () => {
    const queuert = await aClient();
    const without = (): unknown => createDashboard({ queuert } as never);
    expect(without).toThrowError(InvalidOptionError);
    expect(() => createDashboard({ queuert, authorize: "admin" as "open" })).toThrowError(
      /`authorize`/,
    );
    expect(() => createDashboard({ queuert, authorize: "open" })).not.toThrowError();
    vi.stubEnv("NODE_ENV", "production");
    expect(() => createDashboard({ queuert, authorize: "open" })).toThrowError(DashboardError);
    expect(() =>
      createDashboard({ queuert, authorize: "open", allowOpen: true }),
    ).not.toThrowError();
  });

  it.each([
    { autorize: "open" },
    { basePath: "queues" },
    { basePath: '/"><script>' },
    { frameAncestors: "*; script-src *" },
    { environment: 7 },
    { links: "x" },
    { queuert: {} },
  ])("refuses a wrong option: %j", async (wrong) => {
    const queuert = await aClient();
    const options = { queuert, authorize: "open", ...wrong } as never;
    expect(() => createDashboard(options)).toThrowError(InvalidOptionError);
  });
});

describe("writes from another site", () => {
  const act = { action: "pause", typeName: "a" };
  const post = async (headers: Record<string, string>): Promise<number> => {
    const { dashboard } = await aDashboard();
    const request = new Request(`${origin}/queues/api/v1/act`, {
      method: "POST",
      body: JSON.stringify(act),
      headers,
    });
    return (await dashboard.fetch(request)).status;
  };
  const type = { "content-type": "application/json" };

  it.each([
    [{ ...type, "sec-fetch-site": "same-origin" }, 200],
    [{ ...type, "sec-fetch-site": "cross-site" }, 403],
    [{ ...type, "sec-fetch-site": "same-site" }, 403],
    [{ ...type, "sec-fetch-site": "none" }, 403],
    // Without the header, as on plain HTTP: by the origin.
    [{ ...type, origin }, 200],
    [{ ...type, origin: "https://evil.example.com" }, 403],
    [{ ...type, origin: "null" }, 403],
    [{ ...type }, 403],
    [{ ...type, origin: "https://public.example", "x-forwarded-host": "public.example" }, 200],
    // A form of another site.
    [{ "content-type": "text/plain", "sec-fetch-site": "same-origin" }, 403],
    [{ "content-type": "application/x-www-form-urlencoded", origin }, 403],
    // The header of the browser decides, also if the origin fits.
    [{ ...type, origin, "sec-fetch-site": "cross-site" }, 403],
  ])("%j: %i", async (headers, status) => {
    expect(await post(headers)).toBe(status);
  });

  it("are refused on unknown places too, and no answer may be read from other origins", async () => {
    const { dashboard, get } = await aDashboard();
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const request = new Request(`${origin}/queues/api/v1/jobs`, { method });
      expect((await dashboard.fetch(request)).status).toBe(403);
    }
    const { headers } = await get("session", { origin: "https://evil.example.com" });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });
});

describe("headers", () => {
  it("are strict on the page, the API, the assets and the errors", async () => {
    const { dashboard } = await aDashboard();
    const page = await dashboard.fetch(new Request(`${origin}/queues/`));
    const [, script = ""] = /src="\.\/(assets\/[^"]+)"/.exec(await page.text()) ?? [];
    for (const path of ["", script, "api/v1/session", "api/v1/nothing", "assets/nothing.js"]) {
      const { headers } = await dashboard.fetch(new Request(`${origin}/queues/${path}`));
      const policy = headers.get("content-security-policy") ?? "";
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]) {
        expect(policy.split("; ")).toContain(part);
      }
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe(
        path === script ? "private, max-age=31536000, immutable" : "no-store",
      );
    }
  });

  it("admit frames of named pages only", async () => {
    const { get } = await aDashboard({ frameAncestors: "'self'" });
    const { headers } = await get("session");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  });
});

describe("payloads", () => {
  const secret = "s3cr3t-7f";
  const paths = [
    "overview",
    "jobs",
    "jobs?q=status:pending",
    "sequences?roots=true",
    "job?id=ID",
    "payload?id=ID&field=input",
    "explain?id=ID",
    "tree?sequence=ID",
    "type?name=send-mail",
    "failures",
    "schedules",
    "session",
    "suggest?field=type",
  ];

  it("leave the process masked without the right, and redacted with it", async () => {
    const keys = fc.constantFrom("to", "password", "apiKey", "card_number", "note", "items");
    const value = fc.oneof(
      fc.constant(secret),
      fc.constant(`a ${secret} b`),
      fc.array(fc.constant(secret), { maxLength: 3 }),
    );
    const nested = fc.dictionary(
      keys,
      fc.oneof(value, fc.dictionary(keys, value, { maxKeys: 3 })),
      { maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(nested, async (input) => {
        const { get, start, queuert } = await aDashboard({ authorize: () => "view" });
        const id = await start("send-mail", input);
        await queuert.upsertSchedules({
          schedules: [{ name: "daily", typeName: "send-mail", input, cron: "@daily" }],
        });
        for (const path of paths) {
          expect((await get(path.replace("ID", id))).text).not.toContain(secret);
        }
      }),
      { numRuns: 20 },
    );
    const redact = { "send-mail": ["to", "items[*].price"] };
    const { get, start } = await aDashboard({ redact });
    const input = { to: secret, items: [{ price: secret }], token: secret, note: "shown" };
    const id = await start("send-mail", input);
    for (const path of paths) {
      expect((await get(path.replace("ID", id))).text).not.toContain(secret);
    }
    expect((await get(`job?id=${id}`)).text).toContain("shown");
  });

  it("cannot be guessed by a search without the right, nor by a plan", async () => {
    const { get, post } = await aDashboard({
      authorize: () => ({ rights: ["retry", "trigger", "cancel", "delete"] }),
    });
    for (const filter of ["input:a", "output:a", "input.to:ada", "ada"]) {
      for (const path of ["jobs", "sequences", "failures"]) {
        const answer = await get(`${path}?q=${filter}`);
        expect([path, filter, answer.status]).toEqual([path, filter, 400]);
      }
      const planned = await post("plans", { action: "delete", filter: `status:failed ${filter}` });
      expect([filter, planned.status]).toEqual([filter, 400]);
    }
  });
});

describe("hostile input", () => {
  const anything = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom("type:", "-is:", '"', "input.__proto__:x", "priority:>=1e9", "since:9999999d"),
  );

  it("gives 400 for a filter, a cursor or a number, and never 500", async () => {
    const { get } = await aDashboard();
    const query = fc.record(
      { q: anything, cursor: anything, limit: anything },
      { requiredKeys: [] },
    );
    const fixed = fc.constantFrom(
      "jobs",
      "sequences",
      "failures",
      "schedules",
      "actions",
      "job",
      "tree",
    );
    await fc.assert(
      fc.asyncProperty(fixed, query, anything, async (path, given, id) => {
        const search = new URLSearchParams({ ...given, id });
        expect([200, 400, 404]).toContain((await get(`${path}?${search}`)).status);
        const known = new URLSearchParams({ q: given.q ?? "" });
        expect([200, 400]).toContain((await get(`jobs?${known}`)).status);
      }),
      { numRuns: 200 },
    );
  });

  it("gives 400 for a body of another shape", async () => {
    const { post } = await aDashboard();
    const path = fc.constantFrom("plans", "apply", "stop", "act");
    const known = fc.constantFrom("action", "ids", "filter", "token", "count", "typeName", "name");
    const body = fc.oneof(fc.jsonValue(), fc.dictionary(known, fc.jsonValue(), { maxKeys: 4 }));
    await fc.assert(
      fc.asyncProperty(path, body, async (path, given) => {
        expect([200, 400, 404, 409]).toContain((await post(path, given)).status);
      }),
      { numRuns: 200 },
    );
  });

  it("gives 413 for a large body, however its length is named", async () => {
    const { post, dashboard } = await aDashboard();
    expect((await post("plans", { filter: "a".repeat(300_000) })).status).toBe(413);
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(100_000).fill(32)),
    });
    const request = new Request(`${origin}/queues/api/v1/act`, {
      method: "POST",
      body: stream,
      duplex: "half",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    });
    expect((await dashboard.fetch(request)).status).toBe(413);
  });

  it("reaches no file beside the assets", async () => {
    const { dashboard } = await aDashboard();
    for (const name of ["manifest.json", "..%2findex.js", "%2e%2e/package.json", "../index.js"]) {
      const answer = await dashboard.fetch(new Request(`${origin}/queues/assets/${name}`));
      expect([name, (await answer.text()).includes("export")]).toEqual([name, false]);
    }
  });

  it("is text in answers, in names as in payloads", async () => {
    const hostile = ["<script>alert(1)</script>", '"><img onerror=x>', "\u202Egnp", "\uD800"];
    for (const text of hostile) {
      const { get, start } = await aDashboard();
      const typeName = text.replace("\uD800", "\uFFFD");
      const id = await start(typeName, { text: typeName });
      const { headers, status } = await get(`job?id=${id}`);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("application/json");
    }
  });
});

describe("a store that fails", () => {
  it("is 503, without the words of its error", async () => {
    const errors: unknown[] = [];
    const options = { onError: (error: unknown) => errors.push(error) };
    const failed = new Error("connect ECONNREFUSED postgres://ada:pw@db");
    const { get } = await aDashboard(options, (adapter) => ({
      ...adapter,
      summarize: () => Promise.reject(failed),
    }));
    const answer = await get("overview");
    expect(answer).toMatchObject({ status: 503, body: { code: "QUEUERT_DASHBOARD_STORE_FAILED" } });
    expect(answer.text).not.toContain("ada:pw");
    expect(errors).toEqual([failed]);
  });

  it("is 503 when the database is not reached, as its adapter names that", async () => {
    class UnreachableError extends QueuertError {
      readonly code = "QUEUERT_PG_UNREACHABLE";
    }
    const failed = new UnreachableError("PostgreSQL could not be reached (ECONNREFUSED) at db-7.");
    const { get } = await aDashboard({}, (adapter) => ({
      ...adapter,
      summarize: () => Promise.reject(failed),
    }));
    const answer = await get("overview");
    expect(answer).toMatchObject({ status: 503, body: { code: "QUEUERT_DASHBOARD_STORE_FAILED" } });
    expect(answer.text).not.toContain("db-7");
  });

  it("has a few searches of one person at a time", async () => {
    const release = new AbortController();
    const { get } = await aDashboard({}, (adapter) => ({
      ...adapter,
      operator: {
        ...adapter.operator,
        examineJobs: async () => {
          if (!release.signal.aborted) {
            await new Promise((resolve) => release.signal.addEventListener("abort", resolve));
          }
          return { jobs: [], examined: 0, examinedTo: null };
        },
      },
    }));
    const running = [1, 2, 3, 4].map((limit) => get(`jobs?limit=${limit}`));
    const fifth = await get("jobs?limit=5");
    expect(fifth.status).toBe(429);
    expect(fifth.headers.get("retry-after")).toBe("2");
    release.abort();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await get("jobs?limit=5")).status).toBe(200);
  });
});
