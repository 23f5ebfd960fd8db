import { createOperator } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore, storeKinds } from "./stores.ts";

describe.each(storeKinds)("schedules on %s", (kind) => {
  it("are listed, shown, paused, resumed and triggered", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    await client.upsertSchedules({
      schedules: [
        {
          name: "nightly\u001b[2J",
          typeName: "greet",
          input: { name: "Ada" },
          cron: "0 3 * * *",
          timeZone: "Europe/Berlin",
        },
        { name: "often", typeName: "greet", input: { name: "Ada" }, everyMs: 3_600_000 },
      ],
    });
    const run = (...args: string[]) => project.queuert(["--url", store.url, "schedules", ...args]);
    const listed = await run();
    expect(listed.exitCode, listed.stderr).toBe(0);
    expect(listed.stdout).toMatch(
      /^nightly\\u\{1b\}\[2J\tgreet\t0 3 \* \* \* Europe\/Berlin\t\d{4}-.*\t–\t–$/m,
    );
    expect(listed.stdout).toMatch(/^often\tgreet\tevery 1 h\t/m);

    expect(await run("pause", "often", "--note", "incident 88")).toMatchObject({
      exitCode: 0,
      stdout: "paused often\n",
    });
    expect((await run()).stdout).toMatch(/^often\tgreet\tevery 1 h\tpaused\t/m);
    const shown = await run("show", "often");
    expect(shown.stdout).toContain(": incident 88\n");
    expect(shown.stdout).toContain("no tick yet\n");
    expect((await run("resume", "often")).stdout).toBe("resumed often\n");

    expect((await run("edit", "often", "--every", "15m", "--overlap", "skip")).stdout).toBe(
      "edited often\n",
    );
    const [edited] = (await client.listSchedules({ names: ["often"] })).items;
    expect(edited).toMatchObject({ everyMs: 900_000, overlap: "skip", input: { name: "Ada" } });
    const cron = await run("edit", "often", "--cron", "0 7 * * *", "--time-zone", "UTC", "--json");
    expect(JSON.parse(cron.stdout)).toMatchObject({ cron: "0 7 * * *", everyMs: null });
    for (const wrong of [
      [],
      ["--cron", "0 7 * * *", "--every", "15m"],
      ["--time-zone", "UTC", "--every", "15m"],
      ["--cron", "61 * * * *"],
      ["--every", "often"],
      ["--overlap", "never"],
    ]) {
      expect((await run("edit", "often", ...wrong)).exitCode, wrong.join(" ")).toBe(2);
    }
    expect((await run("edit", "never", "--every", "15m")).exitCode).toBe(3);
    expect((await run("edit", "often", "--every", "1h")).exitCode).toBe(0);

    const triggered = await run("trigger", "often", "--json");
    const [tick] = JSON.parse(triggered.stdout) as { sequenceId: string; outcome: string }[];
    expect(tick?.outcome).toBe("started");
    expect(await client.getJob({ id: tick?.sequenceId ?? "" })).toMatchObject({
      status: "pending",
    });
    expect((await run("show", "often")).stdout).toContain(`\t${tick?.sequenceId}\n`);
    const [action] = await createOperator({ queuert: client }).listActions({ limit: 1 });
    expect(action).toMatchObject({
      ...{ action: "trigger_schedule", filter: 'schedule:"often"', done: 1, refused: 0 },
      user: expect.stringMatching(/^cli/) as unknown,
    });

    const past = ["backfill", "often", "--from", "2026-01-01T00:00:00Z"];
    const range = [...past, "--to", "2026-01-01T03:00:00Z"];
    const planned = await run(...range);
    expect(planned).toMatchObject({
      exitCode: 5,
      stdout: expect.stringMatching(
        /^would backfill 3 ticks\n.*from 2026-01-01T00:00:00.000Z to 2026-01-01T02:00:00.000Z/,
      ),
    });
    expect(await run(...range, "--yes", "--count", "3")).toMatchObject({
      exitCode: 0,
      stdout: "started 3 ticks\n",
    });
    expect((await run(...range, "--plan")).stdout).toMatch(
      /^would backfill 0 ticks\n[^]*3 refused: handled_before, such as 2026-01-01T00:00:00.000Z/,
    );
    expect((await run(...past, "--to", "2099-01-01")).exitCode).toBe(2);
    expect((await run("show", "often")).stdout).toMatch(/\tbackfill\tstarted\t/);

    expect((await run("show", "never")).exitCode).toBe(3);
    const unknown = await run("pause", "never");
    expect([2, 3], unknown.stderr).toContain(unknown.exitCode);
  });
});
