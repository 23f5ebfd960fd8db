import { describe, expect, it } from "vitest";
import type { Evidence } from "../../src/operator/explain/evidence.ts";
import { toHealth } from "../../src/operator/views/health.ts";
import type { Overview } from "../../src/operator/views/overview.ts";
import { anOperator } from "./a-client.ts";

const hourMs = 3_600_000;

describe("the health", () => {
  it("is well in an empty store", async () => {
    const { operator } = await anOperator();
    expect(await operator.checkHealth()).toMatchObject({ isWell: true, findings: [] });
  });

  it("names jobs that nothing moves, and the failures first", async () => {
    const { operator, steps, queuert, clock } = await anOperator();
    const client = queuert as { pause(options: { jobTypes: string[] }): Promise<void> };
    await client.pause({ jobTypes: ["report"] });
    clock.ms += 25 * hourMs;
    await steps.createOne({ typeName: "report" });
    await steps.createOne({ typeName: "resize" });
    clock.ms += 1_000;
    const { isWell, findings } = await operator.checkHealth();
    expect(isWell).toBe(false);
    expect(findings.map(({ level, check, text }) => [level, check, text])).toEqual([
      ["fail", "jobs", "resize: 1 job due, and no live worker implements the type."],
      ["warn", "jobs", "report: paused for 1 d, 1 job due."],
      ["warn", "control", "report has been paused for 1 d, without an end."],
    ]);
  });

  it("names workers that have vanished, and names that are used twice", async () => {
    const { operator, live, clock } = await anOperator();
    await live(["a"], { instanceId: "1", workerId: "mailer" });
    await live(["a"], { instanceId: "2", workerId: "mailer" });
    expect((await operator.checkHealth()).findings.map(({ text }) => text)).toEqual([
      "Several live workers are named mailer: give each worker a name of its own.",
    ]);
    clock.ms += 10 * 60_000;
    expect((await operator.checkHealth()).findings.map(({ check }) => check)).toEqual([
      "workers",
      "workers",
    ]);
    clock.ms += hourMs;
    expect((await operator.checkHealth()).isWell).toBe(true);
  });

  it("names the versions of live workers, if there are several", async () => {
    const { operator, live, clock } = await anOperator();
    const libraryVersions = async () => (await operator.getOverview()).workers?.libraryVersions;
    await live(["a"], { instanceId: "1", workerId: "1", libraryVersion: "0.2.0" });
    await live(["a"], { instanceId: "2", workerId: "2", libraryVersion: "0.2.0" });
    await live(["a"], {
      instanceId: "3",
      workerId: "3",
      libraryVersion: "0.1.0",
      state: "stopped",
    });
    expect((await operator.checkHealth()).findings).toEqual([]);
    expect(await libraryVersions()).toEqual([{ version: "0.2.0", workers: 2 }]);
    clock.ms += 3_000;
    await live(["a"], { instanceId: "4", workerId: "4", libraryVersion: null });
    expect((await operator.checkHealth()).findings).toEqual([
      {
        level: "warn",
        check: "workers",
        text:
          "Live workers run 2 versions of queuert: 2 run 0.2.0, 1 run a release that does not report its version. " +
          "Finish the deployment, or stop the workers of the older release: only neighbouring releases may share a store.",
      },
    ]);
    expect(await libraryVersions()).toEqual([
      { version: "0.2.0", workers: 2 },
      { version: null, workers: 1 },
    ]);
  });

  it("names a clock that is away from that of the process", () => {
    const now = new Date(Date.UTC(2030, 0, 1));
    const evidence: Evidence = { now, workers: [], pauses: [], limits: [], unknown: [] };
    const overview = { attention: [] } as unknown as Overview;
    const away = (ms: number): readonly string[] =>
      toHealth(overview, evidence, new Date(now.getTime() + ms)).findings.map(({ text }) => text);
    expect(away(4_000)).toEqual([]);
    expect(away(60_000)).toEqual(["The store's clock is 1 min behind that of this process."]);
    expect(away(-60_000)).toEqual(["The store's clock is 1 min ahead of that of this process."]);
  });
});
