// Keys of limits, schedules and columns, as a person changes them on the page.
import { describe, expect, it } from "vitest";
import { expectAccessible, open, serve, useBrowser } from "./a-page.ts";
import { startMail, startSyncs } from "./shop.ts";
import { aShop } from "./stores.ts";

useBrowser();

describe.each(["postgres", "sqlite", "mongodb"] as const)("the keys of a limit on %s", (kind) => {
  it("are shown with their use, paused with a reason, and resumed", async () => {
    const shop = await aShop(kind);
    await startSyncs(shop, { acme: 3, globex: 1 });
    const server = await serve(shop);
    const page = await open(server, "?limits");
    await page.getByRole("link", { name: "crm-api" }).click();
    const row = page.getByRole("row", { name: /acme/ });
    await row.getByText("0 of 2").waitFor();
    await row.getByText("when a worker has room").waitFor();
    await page.getByRole("button", { name: "Pause acme" }).click();
    await page.getByLabel("For").selectOption("1 hour");
    await page.getByLabel("Reason").fill("their server is down");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await row.getByText("their server is down").waitFor();
    await row.getByText(/ends in \d+ min|ends in 1 h/).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Resume acme" }).click();
    await row.getByText("when a worker has room").waitFor();
    await row.getByRole("link", { name: "3" }).click();
    await expect.poll(() => page.locator(".job-rows tbody tr").count()).toBe(3);
    await page.goto(`${server.url}?activity`);
    const paused = page.getByRole("row", { name: /pause key/ });
    expect(await paused.first().textContent()).toContain('limit:"crm-api" limit-key:"acme"');
    expect(await paused.first().textContent()).toContain("ada");
  });
});

describe("the keys of a limit", () => {
  it("are in pages, begin where the person says, and have no buttons without the right", async () => {
    const shop = await aShop("postgres");
    const names = Array.from({ length: 60 }, (_, place) => `customer-${String(place + 10)}`);
    await startSyncs(shop, Object.fromEntries(names.map((name) => [name, 1])));
    const server = await serve(shop, { authorize: () => "view" });
    const page = await open(server, "?limits=crm-api");
    await page.getByText("50 keys shown.").waitFor();
    await page.getByRole("link", { name: "Next keys" }).click();
    await page.getByText("10 keys shown").waitFor();
    expect(await page.getByRole("link", { name: "customer-69" }).count()).toBe(1);
    expect(await page.getByRole("link", { name: "Next keys" }).count()).toBe(0);
    await page.getByLabel("Begin at").fill("customer-3");
    await page.keyboard.press("Enter");
    await page.getByText("40 keys shown").waitFor();
    expect(await page.getByRole("button", { name: /Pause/ }).count()).toBe(0);
    await expectAccessible(page);
  });
});

describe("a schedule", () => {
  it("shows its ticks, and gets another timing after a look at it", async () => {
    const shop = await aShop("postgres");
    await shop.upsertSchedules({
      schedules: [
        {
          ...{ name: "nightly", typeName: "nightly-report", input: { day: "today" } },
          ...{ cron: "0 7 * * *", timeZone: "Europe/Vienna" },
        },
      ],
    });
    await shop.triggerSchedules({ names: ["nightly"] });
    const page = await open(await serve(shop), "?schedules", { mayFail: true });
    await page.getByRole("link", { name: "nightly", exact: true }).click();
    await page.getByRole("cell", { name: "by hand" }).waitFor();
    expect(await page.locator(".ticks").first().locator("li").count()).toBe(10);
    await expectAccessible(page);
    const cron = page.getByLabel("Cron expression");
    const button = page.getByRole("button", { name: "Store the change" });
    await cron.fill("0 25 * * *");
    await page.locator(".preview .tone-failed").waitFor();
    expect(await button.isDisabled()).toBe(true);
    await cron.fill("30 6 * * 1");
    await page.getByText(/Then it ticks\s+Mon, .*06:30/).waitFor();
    await page.getByLabel("If a sequence of it still runs").first().selectOption("allow");
    await button.click();
    await page.locator(".facts").getByText("30 6 * * 1").waitFor();
    const [stored] = (await shop.listSchedules()).items;
    expect(stored).toMatchObject({
      ...{ cron: "30 6 * * 1", timeZone: "Europe/Vienna", overlap: "allow" },
      ...{ typeName: "nightly-report", input: { day: "today" } },
    });
  });
});

describe("the past ticks of a schedule", () => {
  it("are looked at, planned, started once, and recorded with the person", async () => {
    const shop = await aShop("postgres");
    await shop.upsertSchedules({
      schedules: [
        {
          ...{ name: "nightly", typeName: "nightly-report", input: { day: "today" } },
          ...{ cron: "0 7 * * *", timeZone: "Europe/Vienna" },
        },
      ],
    });
    const server = await serve(shop);
    const page = await open(server, "?schedules=nightly", { mayFail: true });
    const from = page.getByLabel("From, by your clock");
    const until = page.getByLabel("Until, by your clock");
    const plan = page.getByRole("button", { name: "Plan the start…" });
    await from.fill("2026-01-01T00:00");
    await until.fill("2026-01-04T12:00");
    const preview = page.locator(".preview").last();
    await preview.getByText("4 ticks to start.").waitFor();
    expect(await preview.locator("li").first().textContent()).toMatch(/1 Jan 2026.*07:00/);
    await until.fill("2099-01-01T00:00");
    await preview.getByText("give an instant of the past").waitFor();
    expect(await plan.isDisabled()).toBe(true);
    await until.fill("2026-01-04T12:00");
    await preview.getByText("4 ticks to start.").waitFor();
    await expectAccessible(page);
    await plan.click();
    const dialog = page.getByRole("dialog", { name: "Start 4 ticks" });
    await dialog.getByText(/4 Jan 2026.*07:00/).waitFor();
    await expectAccessible(page);
    const start = dialog.getByRole("button", { name: "Start 4" });
    expect(await start.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("4");
    await start.click();
    await page.getByText("4 of 4 ticks done").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    await preview
      .getByText("No tick is left to start; 4 were started or left out before.")
      .waitFor();
    expect(await page.getByRole("cell", { name: "by a backfill" }).count()).toBe(4);
    expect((await shop.listJobs({ typeName: "nightly-report" })).items).toHaveLength(4);
    await page.goto(`${server.url}?activity`);
    const row = page.getByRole("row", { name: /backfill/ });
    expect(await row.textContent()).toContain("ada");
    expect(await row.textContent()).toContain("4 done");
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "nightly" }).waitFor();
  });

  it("are not offered without the right, and the server refuses their plan", async () => {
    const shop = await aShop("postgres");
    await shop.upsertSchedules({
      schedules: [
        {
          ...{ name: "nightly", typeName: "nightly-report", input: { day: "today" } },
          cron: "@daily",
        },
      ],
    });
    const server = await serve(shop, { authorize: () => "operate" });
    const page = await open(server, "?schedules=nightly", { mayFail: true });
    await page.getByRole("heading", { name: "Next ticks" }).waitFor();
    expect(await page.getByText("Start past ticks").count()).toBe(0);
    const status = await page.evaluate(`fetch("./api/v1/plans", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action: "backfill", name: "nightly", from: "2026-01-01T00:00:00Z", to: "2026-01-04T00:00:00Z" }),
    }).then((response) => response.status)`);
    expect(status).toBe(403);
  });
});

describe("the columns of a list", () => {
  it("are chosen by the person, and kept by the browser", async () => {
    const shop = await aShop("postgres");
    await startMail(shop, "ada@example.com");
    const page = await open(await serve(shop), "?jobs");
    const heads = () => page.locator(".job-rows thead th").allTextContents();
    await expect.poll(heads).toContain("Input");
    expect(await heads()).not.toContain("Priority");
    await page.getByRole("button", { name: "Columns…" }).click();
    await page.getByLabel("Priority").check();
    await page.getByLabel("Input").uncheck();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Done" }).click();
    expect(await heads()).toContain("Priority");
    await page.reload();
    await expect.poll(heads).toContain("Priority");
    expect(await heads()).not.toContain("Input");
    await page.getByRole("button", { name: "Columns…" }).click();
    await page.getByRole("button", { name: "The usual ones" }).click();
    await page.keyboard.press("Escape");
    await expect.poll(heads).toContain("Input");
    expect(await heads()).not.toContain("Priority");
  });
});
