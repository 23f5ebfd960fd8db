// A page that stays open while its database, or the server of the page, is stopped and started again.
import { describe, expect, it } from "vitest";
import { askedBy, expectAccessible, open, serve, useBrowser } from "./a-page.ts";
import { startMail } from "./shop.ts";
import { aShopWithServer } from "./stores.ts";

useBrowser();

describe("an open page", () => {
  it("keeps its rows while the database is stopped, and hears of new jobs when it is back", async () => {
    const { shop, database } = await aShopWithServer();
    await startMail(shop, "ada@example.com");
    const server = await serve(shop, { onError: () => undefined });
    const page = await open(server, "?jobs", { mayFail: true });
    const rows = page.locator(".job-rows tbody tr");
    await rows.first().waitFor();
    await database.stop();
    const banner = page.locator(".banner");
    await banner.getByText("The store did not answer.").waitFor();
    await banner.getByText(/This page is as it was .* ago\./).waitFor();
    await page.getByRole("button", { name: "Away" }).waitFor();
    expect(await rows.count()).toBe(1);
    await expectAccessible(page);
    await database.start();
    await banner.waitFor({ state: "detached", timeout: 60_000 });
    await page.getByRole("button", { name: "Live" }).waitFor();
    await startMail(shop, "grace@example.com");
    await page.getByRole("button", { name: "1 new, show" }).click();
    await rows.nth(1).waitFor();
  }, 120_000);

  it("listens for hints again when its own server is back", async () => {
    const { shop } = await aShopWithServer();
    await startMail(shop, "ada@example.com");
    const server = await serve(shop);
    const page = await open(server, "?jobs", { mayFail: true });
    const rows = page.locator(".job-rows tbody tr");
    await rows.first().waitFor();
    await expect.poll(() => server.streams()).toBeGreaterThan(0);
    await server.stop();
    await page.locator(".banner").getByText("The server of this page does not answer.").waitFor();
    expect(await rows.count()).toBe(1);
    const before = server.streams();
    await server.start();
    await page.locator(".banner").waitFor({ state: "detached", timeout: 60_000 });
    await expect.poll(() => server.streams()).toBeGreaterThan(before);
    await startMail(shop, "grace@example.com");
    await page.getByRole("button", { name: "1 new, show" }).click();
    await rows.nth(1).waitFor();
  }, 120_000);

  it("listens for hints again after its server has refused them", async () => {
    const { shop } = await aShopWithServer();
    const server = await serve(shop);
    server.isUp = false;
    const page = await open(server, "?jobs", { mayFail: true });
    await page.getByText("The page tries again by itself.").waitFor();
    server.isUp = true;
    await page.getByText("No job yet").waitFor({ timeout: 60_000 });
    await expect.poll(() => server.streams()).toBe(1);
    server.isUp = false;
    await server.stop();
    await server.start();
    // A source that asks again in the meantime is refused with 503, which ends it for good.
    const asked = (await askedBy(page)).length;
    await expect
      .poll(async () => (await askedBy(page)).length, { timeout: 60_000 })
      .toBeGreaterThan(asked + 5);
    await page.locator(".banner").getByText("The store does not answer.").waitFor();
    const before = server.streams();
    server.isUp = true;
    await page.locator(".banner").waitFor({ state: "detached", timeout: 60_000 });
    await expect.poll(() => server.streams()).toBeGreaterThan(before);
  }, 120_000);
});
