// Reading lists and trees while they change.
import { createInProcessNotifyAdapter } from "queuert";
import { describe, expect, it } from "vitest";
import { allAnswered, askedBy, expectAccessible, open, serve, useBrowser } from "./a-page.ts";
import { makeAlbum, placeOrder, settled, startImage, startMail, startShopWorker } from "./shop.ts";
import { aShop } from "./stores.ts";

useBrowser();

/** The page cannot be hidden for real: a browser without a window has no tabs in the background. */
const hide = (isHidden: boolean): string =>
  `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
   document.dispatchEvent(new Event("visibilitychange"))`;

describe("lists", () => {
  it("let new rows wait behind a button, and move no row that is being read", async () => {
    const shop = await aShop("postgres");
    for (let index = 0; index < 40; index++) await startMail(shop, `user${index}@example.com`);
    const page = await open(await serve(shop), "?jobs");
    const rows = page.locator(".job-rows tbody tr");
    await rows.nth(39).waitFor();
    await rows.nth(30).scrollIntoViewIfNeeded();
    const first = await rows.first().locator("a").first().getAttribute("href");
    const before = await rows.nth(30).boundingBox();
    for (let index = 0; index < 3; index++) await startImage(shop, `new-${index}`);
    const pill = page.getByRole("button", { name: "3 new, show" });
    await pill.waitFor();
    expect(await rows.count()).toBe(40);
    expect(await rows.first().locator("a").first().getAttribute("href")).toBe(first);
    const after = await rows.nth(30).boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
    await pill.click();
    await rows.nth(42).waitFor();
    expect(await rows.first().textContent()).toContain("resize-image");
  });

  it("show the present state of rows that no longer match", async () => {
    const shop = await aShop("postgres");
    const image = await startImage(shop, "lamp");
    await startMail(shop, "ada@example.com");
    const page = await open(await serve(shop), "?jobs&q=status:pending");
    await page.locator(".job-rows tbody tr").nth(1).waitFor();
    await startShopWorker(shop, { isUp: true });
    const mail = page.locator(".job-rows tbody tr").filter({ hasText: "send-mail" });
    await mail.getByText("completed", { exact: true }).waitFor();
    expect(await page.locator(`a[href*="${image.id}"]`).count()).toBe(1);
  });

  it("say how far they have looked, and look further", async () => {
    const shop = await aShop("postgres");
    await startImage(shop, "lamp");
    for (let index = 0; index < 25; index++) await startMail(shop, `user${index}@example.com`);
    const page = await open(await serve(shop, { examineStep: 10 }), "?jobs&q=input:lamp");
    await page.getByText("No job found, 10 jobs looked at").waitFor();
    const further = page.getByRole("button", { name: "Look further" });
    await further.click();
    await page.getByText("20 jobs looked at").waitFor();
    await further.click();
    await page.getByText("1 job shown, 26 jobs looked at. That is all.").waitFor();
    await expectAccessible(page);
  });

  it("tell sequences from jobs, and roots from the sequences below them", async () => {
    const shop = await aShop("postgres");
    const { shipId, chargeId } = await placeOrder(shop, "A-17");
    const page = await open(await serve(shop), "?jobs");
    const rows = page.locator(".job-rows tbody tr");
    await rows.nth(2).waitFor();
    await page.getByRole("button", { name: "Sequences" }).click();
    await page.getByRole("columnheader", { name: "Took" }).waitFor();
    await page.locator(`a[href*="sequence=${chargeId}"]`).waitFor();
    await page.getByLabel("roots only").check();
    await page.locator(`a[href*="sequence=${chargeId}"]`).waitFor({ state: "detached" });
    await page.locator(`a[href*="sequence=${shipId}"]`).waitFor();
    expect(await rows.count()).toBe(1);
    await expectAccessible(page);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("3 sequences, 3 jobs").waitFor();
    expect(page.url()).toContain(`?sequence=${shipId}`);
  });

  it("keep the filter, the order and the view over a reload, and over back and forward", async () => {
    const shop = await aShop("postgres");
    const { shipId } = await placeOrder(shop, "A-17");
    const page = await open(await serve(shop), "?jobs&q=type:ship-order&order=asc");
    await page.locator(".job-rows tbody a").first().click();
    await page.getByRole("button", { name: "Time" }).click();
    await page.reload();
    await page.locator(".axis").waitFor();
    expect(page.url()).toContain(`?job=${shipId}&view=time`);
    await page.goBack();
    expect(await page.getByRole("combobox", { name: "Filter" }).inputValue()).toBe(
      "type:ship-order",
    );
    expect(await page.getByRole("combobox", { name: "Order" }).inputValue()).toBe("asc");
    await page.goForward();
    await page.locator(".axis").waitFor();
  });

  it("ask again only after an answer, and not at all in a hidden tab", async () => {
    const shop = await aShop("postgres");
    await startMail(shop, "ada@example.com");
    const server = await serve(shop);
    const page = await open(server, "?jobs", { ownClock: true });
    await page.locator(".job-rows tbody tr").first().waitFor();
    await allAnswered(page);
    server.hold();
    const before = (await askedBy(page)).length;
    let held: readonly string[] = [];
    // Each answer is held. A page that asks by the clock would ask for the same again.
    await expect
      .poll(async () => {
        await page.clock.runFor(60_000);
        held = (await askedBy(page)).slice(before);
        return held.length;
      })
      .toBeGreaterThan(1);
    expect(new Set(held).size).toBe(held.length);
    await page.evaluate(hide(true));
    server.release();
    await allAnswered(page);
    const hidden = (await askedBy(page)).length;
    await page.clock.runFor(60_000);
    expect((await askedBy(page)).length).toBe(hidden);
    await page.evaluate(hide(false));
    await expect.poll(async () => (await askedBy(page)).length).toBeGreaterThan(hidden);
  });
});

describe("a job that logs", () => {
  it("shows its lines without secret data, and how far it is", async () => {
    const shop = await aShop("postgres");
    const bank = { isUp: false };
    await startShopWorker(shop, bank);
    const { chargeId } = await placeOrder(shop, "A-17");
    await settled(shop, 1);
    const page = await open(await serve(shop), `?job=${chargeId}`);
    await page.locator(".progress").getByText("50 % at the bank").waitFor();
    await page.getByRole("tab", { name: "Logs" }).click();
    await page.getByText("Attempt 4").waitFor();
    const log = (await page.locator(".logs").textContent()) ?? "";
    expect(log).toContain("charging A-17");
    expect(log).toContain('{"amount":49.9,"card":"‹redacted›"}');
    expect(log).toContain("warn no answer");
    await expectAccessible(page);
    bank.isUp = true;
    await page.getByRole("button", { name: "Retry" }).first().click();
    await page.locator(".page-head .status", { hasText: "completed" }).waitFor();
    await page.locator(".progress").waitFor({ state: "detached" });
  });
});

describe("hints", () => {
  it("bring a change to a page that would not look by itself", async () => {
    const shop = await aShop("postgres", createInProcessNotifyAdapter());
    await startMail(shop, "ada@example.com");
    const page = await open(await serve(shop), "?jobs", { neverPolls: true });
    const rows = page.locator(".job-rows tbody tr");
    await rows.first().waitFor();
    await startMail(shop, "grace@example.com");
    await page.getByRole("button", { name: "1 new, show" }).click();
    const { id } = await startMail(shop, "alan@example.com", "welcome", 3_600_000);
    await page.goto(page.url().replace("?jobs", `?job=${id}`));
    const status = page.locator(".page-head .status");
    await status.getByText("scheduled").waitFor();
    await shop.cancelJobSequences({ ids: [id] });
    await status.getByText("cancelled").waitFor();
  });
});

describe("history", () => {
  it("is drawn without a violation of the policy, and told as a table", async () => {
    const shop = await aShop("postgres");
    const worker = await startShopWorker(shop, { isUp: true });
    for (let index = 0; index < 5; index++) await startMail(shop, `user${index}@example.com`);
    await expect
      .poll(async () => (await shop.listJobs({ status: "completed" })).items.length)
      .toBe(5);
    // A worker that stops reports the attempts that it has counted.
    await worker.stop();
    const page = await open(await serve(shop), "?type=send-mail");
    await page.locator(".plot canvas").first().waitFor();
    await page.getByText("5 done, 0 failed in this period").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "as a table" }).first().click();
    await page.getByRole("columnheader", { name: "Retried" }).waitFor();
    await page.getByRole("button", { name: "24 h" }).click();
    await page.getByText("5 done, 0 failed in this period").waitFor();
    expect(page.url()).toContain("range=24h");
  });
});

describe("the tree of a sequence", () => {
  it("is cut after so many jobs, and says so", async () => {
    const shop = await aShop("postgres");
    const album = await makeAlbum(shop, "winter", 520);
    const page = await open(await serve(shop), `?sequence=${album.id}`);
    await page.getByText("(the first 500 are shown)").waitFor();
    await page.getByRole("button", { name: "open" }).click();
    expect(await page.locator(".lane-label").count()).toBeGreaterThan(499);
    await page.getByRole("button", { name: "Time" }).click();
    await page.locator(".axis").waitFor();
  });

  it("bundles many alike lanes, opens the bundle, and tells the same by time and as a list", async () => {
    const shop = await aShop("postgres");
    await startShopWorker(shop, { isUp: true });
    const album = await makeAlbum(shop, "summer", 40);
    await settled(shop, 1);
    const page = await open(await serve(shop), `?sequence=${album.id}`);
    await page.getByText("41 sequences, 41 jobs").waitFor();
    await page.locator(".node.bundle").getByText("39").waitFor();
    expect(await page.locator(".lane-label").count()).toBe(2);
    await expectAccessible(page);
    await page.getByRole("button", { name: "open" }).click();
    expect(await page.locator(".lane-label").count()).toBe(41);
    expect(await page.locator(".waits.open").count()).toBe(1);
    await page.keyboard.press("v");
    await page.locator(".lane-area .part-failed").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "List" }).click();
    await page.getByText("UnrecoverableJobError: photo 7 is empty").first().waitFor();
    await page.getByLabel("only unfinished").check();
    expect(await page.locator(".lane-list > li").count()).toBe(2);
    await expectAccessible(page);
  });
});
