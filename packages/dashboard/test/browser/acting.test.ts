// Actions from the page: plans, rights, pauses, and a store that goes away.
import { describe, expect, it } from "vitest";
import { askedBy, expectAccessible, open, serve, type TestServer, useBrowser } from "./a-page.ts";
import { fillShop, placeOrder, settled, startImage, startMail, startShopWorker } from "./shop.ts";
import { aShop } from "./stores.ts";

useBrowser();

describe("acting from the page", () => {
  it("plans a retry of one cause, applies it, and records it", async () => {
    const shop = await aShop("postgres");
    const bank = { isUp: false };
    await startShopWorker(shop, bank);
    await fillShop(shop);
    await settled(shop, 4);
    const page = await open(await serve(shop), "?failures");
    const group = page.getByRole("listitem").filter({ hasText: "BankTimeoutError" });
    await group.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry 3 jobs" });
    await dialog.waitFor();
    await expectAccessible(page);
    const apply = dialog.getByRole("button", { name: "Retry 3" });
    const number = dialog.getByRole("textbox");
    if ((await number.count()) > 0) {
      expect(await apply.isDisabled()).toBe(true);
      await number.fill("3");
    }
    bank.isUp = true;
    await apply.click();
    await page.getByText("3 of 3 jobs done").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    await page.getByText("1 failed job in 1 group").waitFor();
    await page.getByRole("link", { name: "Activity" }).click();
    const row = page.getByRole("row").filter({ hasText: "retry" });
    expect(await row.textContent()).toContain("3 done");
    expect(await row.textContent()).toContain("ada");
  });

  it("plans a thousand with one refusal, applies them at a pace, and stops half-way", async () => {
    const shop = await aShop("postgres");
    const photo = { typeName: "resize-photo", input: { photo: 7 } } as const;
    const start = (count: number, more: object = {}) =>
      shop.startJobSequences({
        sequences: Array.from({ length: count }, () => ({ ...photo, ...more })),
        autocommit: true,
      });
    const key = { deduplication: { key: "photo" } };
    await start(999);
    await start(1, key);
    const worker = await startShopWorker(shop, { isUp: true });
    const hasWork = async (): Promise<boolean> =>
      (await shop.listJobs({ status: ["pending", "running"], limit: 1 })).items.length > 0;
    await expect.poll(hasWork, { timeout: 60_000 }).toBe(false);
    await worker.stop();
    // A newer sequence holds the key of the last one.
    await start(1, key);
    const page = await open(await serve(shop), "?jobs&q=status:failed+type:resize-photo");
    await page.locator(".job-rows tbody tr").first().waitFor();
    await page.getByRole("button", { name: "Retry…" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry 999 jobs" });
    await dialog.getByText("deduplication key taken").waitFor();
    await dialog.getByLabel("60 a minute").check();
    await expectAccessible(page);
    await dialog.getByRole("textbox").fill("999");
    await dialog.getByRole("button", { name: "Retry 999" }).click();
    await page.getByText(/[1-9]\d* of 999 jobs done/).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    const { items } = await shop.listJobs({ status: "failed", limit: 1_000 });
    expect(items.length).toBeGreaterThan(900);
    expect(items.length).toBeLessThan(1_000);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  }, 120_000);

  it("demands the number of a deletion", async () => {
    const shop = await aShop("postgres");
    for (let index = 0; index < 3; index++) await startImage(shop, `photo-${index}`);
    const page = await open(await serve(shop), "?jobs&q=type:resize-image");
    await page.locator(".job-rows tbody tr").nth(2).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 3 trees" });
    const apply = dialog.getByRole("button", { name: "Delete 3" });
    await dialog.getByRole("textbox").fill("2");
    expect(await apply.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("3");
    await apply.click();
    await page.getByText("3 of 3 trees done").waitFor();
    expect((await shop.listJobs({ typeName: "resize-image" })).items).toEqual([]);
  });

  it("cancels failed sequences, and offers it where a cancelled blocker refuses a retry", async () => {
    const shop = await aShop("postgres");
    await startShopWorker(shop, { isUp: true });
    const photo = { typeName: "resize-photo", input: { photo: 7 }, autocommit: true } as const;
    const failed = [await shop.startJobSequence(photo), await shop.startJobSequence(photo)];
    await settled(shop, 2);
    const other = await aShop("postgres");
    const { shipId, chargeId } = await placeOrder(other, "A-17");
    await other.cancelJobSequences({ ids: [chargeId], dependants: "fail" });
    const cancel = async (server: TestServer, address: string, within: string): Promise<void> => {
      const page = await open(server, address);
      await page.locator(within).getByRole("button", { name: "Cancel…" }).click();
      const dialog = page.getByRole("dialog", { name: "Cancel 1 sequence" });
      await dialog.getByText("They can never be retried then.").waitFor();
      await dialog.getByRole("textbox").fill("1");
      await dialog.getByRole("button", { name: "Cancel 1" }).click();
      await page.getByText("1 of 1 sequence done").waitFor();
    };
    const server = await serve(shop);
    await cancel(server, `?job=${failed[0]?.id}`, ".page-head");
    await cancel(server, `?sequence=${failed[1]?.id}`, ".page-head");
    const { items } = await shop.listJobs({ typeName: "resize-photo" });
    expect(items.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    await cancel(await serve(other), `?job=${shipId}`, ".remedies");
    expect((await other.getJob({ id: shipId }))?.status).toBe("cancelled");
  });

  it("pauses a type with a reason, shows it, and resumes it", async () => {
    const shop = await aShop("postgres");
    await startMail(shop, "ada@example.com");
    const page = await open(await serve(shop), "?type=send-mail");
    await page.getByRole("button", { name: "Pause" }).click();
    const dialog = page.getByRole("dialog", { name: "Pause send-mail" });
    await dialog.getByLabel("Reason").fill("incident 88");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("region", { name: "Pauses" }).getByText("incident 88").waitFor();
    expect(await shop.getPauses()).toMatchObject([{ jobType: "send-mail", note: "incident 88" }]);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("send-mail runs again.").waitFor();
    expect(await shop.getPauses()).toEqual([]);
  });

  it("leaves the actions out for a person that may only look, and the server refuses them, too", async () => {
    const shop = await aShop("postgres");
    const { orders } = await fillShop(shop);
    const [order] = orders;
    const server = await serve(shop, { authorize: () => ({ user: "eve", rights: "view" }) });
    const page = await open(server, "", { mayFail: true });
    const asked = new Set<string>();
    for (const address of ["?jobs", "?jobs&unit=sequences", "?failures", `?job=${order?.shipId}`]) {
      await page.goto(server.url + address);
      await page.locator("main .panel, main .all-well").first().waitFor();
      for (const url of await askedBy(page)) asked.add(url);
    }
    await page.getByRole("tab", { name: "Input" }).click();
    await page.getByText("view only").waitFor();
    for (const name of ["Retry", "Run now", "Cancel", "Delete", "Pause"]) {
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    }
    const status = await page.evaluate(`fetch("./api/v1/act", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action: "trigger", id: ${JSON.stringify(order?.shipId)} }),
    }).then((response) => response.status)`);
    expect(status).toBe(403);
    expect(await page.content()).not.toContain("A-17");
    // The same requests again: these are the bytes that leave the process.
    const bodies = [...asked].map(async (url) => (await fetch(url)).text());
    const received = (await Promise.all(bodies)).join("\n");
    expect(received).toContain("ship-order");
    expect(received).not.toContain("A-18");
    expect(received).not.toContain("@example.com");
  });

  it("keeps the last answer while the store is away, says so, and goes on when it is back", async () => {
    const shop = await aShop("postgres");
    await startMail(shop, "ada@example.com");
    const server = await serve(shop);
    const page = await open(server, "", { mayFail: true });
    await page.getByRole("link", { name: "send-mail" }).waitFor();
    server.isUp = false;
    await page.getByText("The store does not answer.").waitFor();
    expect(await page.getByRole("link", { name: "send-mail" }).count()).toBe(1);
    await expectAccessible(page);
    server.isUp = true;
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText("The store does not answer.").waitFor({ state: "detached" });
  });
});
