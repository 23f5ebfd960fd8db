import { describe, expect, it } from "vitest";
import { aDashboard } from "./a-dashboard.ts";

describe("the numbers for Prometheus", () => {
  it("are those of the overview, in its text format", async () => {
    const { get, start } = await aDashboard({ prometheus: true });
    await start('say "hi"\\now', null, { schedule: { afterMs: 60_000 } });
    const { headers, text } = await get("metrics.prom");
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(text).toContain(
      'queuert_jobs{type="say \\"hi\\"\\\\now",status="pending"} 1\n' +
        'queuert_jobs{type="say \\"hi\\"\\\\now",status="blocked"} 0\n',
    );
    expect(text).toContain("# TYPE queuert_oldest_due_seconds gauge\n");
    expect(text).toContain('queuert_workers{presence="online"} 0\n');
    expect(text.endsWith("\n")).toBe(true);
  });

  it("are not there unless they are asked for", async () => {
    const { get } = await aDashboard();
    expect((await get("metrics.prom")).status).toBe(404);
  });
});

describe("links", () => {
  it("lead to the trace of a job", async () => {
    const { get, start } = await aDashboard(
      { traceUrl: (traceId) => `https://traces.example.com/${traceId}` },
      (adapter) => ({
        ...adapter,
        createJobs: (params) =>
          adapter.createJobs({
            ...params,
            jobs: params.jobs.map((job) => ({
              ...job,
              traceContext: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`,
            })),
          }),
      }),
    );
    const id = await start("send-mail", null);
    expect((await get(`job?id=${id}`)).body).toMatchObject({
      job: { traceId: "ab".repeat(16) },
      links: [{ label: "Trace", href: `https://traces.example.com/${"ab".repeat(16)}` }],
    });
  });
});
