import { describe, expect, it } from "vitest";
import { createProject, type Running } from "./project.ts";
import { createStore, seed } from "./stores.ts";

/** The first line of a program that goes on. */
const firstLine = async (running: Running): Promise<string> => {
  await Promise.race([
    expect.poll(() => running.output(), { timeout: 30_000 }).toContain("\n"),
    running.ended.then(({ stderr }) => {
      throw new Error(`it has ended: ${stderr}`);
    }),
  ]);
  return running.output().split("\n")[0] ?? "";
};

describe("dashboard", () => {
  it("serves the jobs of the store behind a link that works once, until Ctrl-C", async () => {
    const project = createProject();
    const store = await createStore("sqlite", project.folder);
    await seed(store);
    const running = project.start(["--url", store.url, "dashboard", "--port", "0", "--read-only"]);
    const link = await firstLine(running);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+$/);
    const signedIn = await fetch(link, { redirect: "manual" });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const page = await fetch(new URL("/", link), { headers: { cookie } });
    expect(await page.text()).toContain('<div id="app">');
    const overview = await fetch(new URL("/api/v1/overview", link), { headers: { cookie } });
    expect(await overview.json()).toMatchObject({ totals: { pending: 2, failed: 1 } });
    const pause = await fetch(new URL("/api/v1/act", link), {
      method: "POST",
      headers: { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ action: "pause", typeName: "greet" }),
    });
    expect(pause.status).toBe(403);
    running.child.kill("SIGINT");
    expect((await running.ended).exitCode).toBe(130);
  });

  it("refuses other machines without a password, and a port that is none", async () => {
    const project = createProject();
    const store = await createStore("sqlite", project.folder);
    await seed(store);
    const { url } = store;
    const open = await project.queuert(["--url", url, "dashboard", "--host", "0.0.0.0"]);
    expect(open.stderr).toMatch(/^QUEUERT_DASHBOARD_OPEN: /);
    expect(open.exitCode).toBe(2);
    for (const wrong of [
      ["--port", "http"],
      ["--auth", "ada"],
    ]) {
      const result = await project.queuert(["--url", url, "dashboard", ...wrong]);
      expect([wrong, result.exitCode]).toEqual([wrong, 2]);
    }
  });
});
