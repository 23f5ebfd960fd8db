// Every view in both themes, and on a small screen: no finding of axe, nothing wider than the screen.
import { describe, expect, it } from "vitest";
import { expectAccessible, open, serve, useBrowser } from "./a-page.ts";
import { fillShop, makeAlbum, settled, startShopWorker, startSyncs } from "./shop.ts";
import { aShop } from "./stores.ts";

useBrowser();

describe("each view", () => {
  it("is accessible in both themes, and fits a small screen", async () => {
    const shop = await aShop("postgres");
    await startShopWorker(shop, { isUp: false });
    const { orders, laterId } = await fillShop(shop);
    const album = await makeAlbum(shop, "summer", 14);
    await settled(shop, 5);
    await shop.pause({ jobTypes: ["nightly-report"], note: "incident 88" });
    await shop.setLimits({
      limits: [{ name: "charge-card", concurrency: 5, rate: { count: 100, perMs: 60_000 } }],
    });
    await startSyncs(shop, { acme: 3, globex: 1 });
    await shop.upsertSchedules({
      schedules: [
        {
          ...{ name: "nightly", typeName: "nightly-report", input: { day: "today" } },
          cron: "@daily",
        },
      ],
    });
    const server = await serve(shop);
    const views = [
      "",
      "?jobs",
      "?jobs&unit=sequences",
      `?job=${orders[0]?.shipId}`,
      `?job=${orders[0]?.chargeId}&view=time`,
      `?job=${laterId}`,
      `?sequence=${album.id}`,
      "?failures",
      "?type=charge-card",
      "?schedules",
      "?types",
      "?schedules=nightly",
      "?limits",
      "?limits=crm-api",
      "?workers",
      "?activity",
    ];
    for (const settings of [
      { theme: "light", width: 1440 },
      { theme: "dark", width: 768 },
      { theme: "dark", width: 390 },
    ] as const) {
      const page = await open(server, "", settings);
      for (const view of views) {
        await page.goto(server.url + view);
        await page.locator("main .panel, main .all-well").first().waitFor();
        await expectAccessible(page);
        expect(await page.title(), view).toContain("production · main · Queuert");
      }
    }
  }, 120_000);

  it("shows texts of jobs as texts", async () => {
    const shop = await aShop("postgres");
    const hostile = `<script>alert(1)</script>"><img src=x onerror=alert(1)> \u202e\u0007`;
    const { id } = await shop.startJobSequence({
      typeName: "send-mail",
      input: { to: hostile, template: hostile },
      autocommit: true,
    });
    const page = await open(await serve(shop), `?jobs&q=${encodeURIComponent('type:"send-mail"')}`);
    await page.locator(".job-rows").getByText("onerror").waitFor();
    await page.locator(`a[href*="${id}"]`).click();
    await page.getByText("<script>").first().waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
  });
});
