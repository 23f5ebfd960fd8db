// The walk of an operator through the page, on a real PostgreSQL with a real worker; the short one on each store.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectAccessible, open, serve, useBrowser } from "./a-page.ts";
import { fillShop, settled, startShopWorker } from "./shop.ts";
import { aShop } from "./stores.ts";

useBrowser();

/** The second key counts for a moment only: it is sent before the first is answered. */
const goTo = async ({ keyboard }: Page, key: string): Promise<void> => {
  await Promise.all([keyboard.press("g"), keyboard.press(key)]);
};

const pressOnceThereIsARow = `new MutationObserver((_, observer) => {
  if (document.querySelector(".job-rows tbody tr") === null) return;
  observer.disconnect();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
}).observe(document.body, { childList: true, subtree: true })`;

describe("the page", () => {
  it.each(["postgres", "sqlite", "mongodb"] as const)(
    "leads from the overview to a stuck job and its root cause, and shows live how both complete: %s",
    async (kind) => {
      const shop = await aShop(kind);
      const bank = { isUp: false };
      await startShopWorker(shop, bank);
      const { orders } = await fillShop(shop);
      await settled(shop, 4);
      const page = await open(await serve(shop), "");
      await page.getByText("blocked jobs wait for sequences that failed").waitFor();
      await page.getByRole("link", { name: "Show jobs" }).last().click();
      await page.getByRole("row").nth(3).waitFor();
      expect(await page.getByRole("row").count()).toBe(4);
      const [order] = orders;
      await page.locator(`a[href*="${order?.shipId}"]`).click();

      const why = page.getByRole("region", { name: "Why" });
      await why.getByText("root cause").waitFor();
      expect(await why.textContent()).toContain("BankTimeoutError");
      await page
        .getByRole("link", { name: /ship-order\s*blocked after charge-card, pack-order/ })
        .waitFor();
      expect(await page.locator(".page-head .status").textContent()).toBe("blocked");
      await expectAccessible(page);

      bank.isUp = true;
      await why.getByRole("button", { name: "Retry" }).click();
      await page.getByText("The job is due again.").waitFor();
      await page.locator(".page-head .status", { hasText: "completed" }).waitFor();
      await why.getByText("Completed", { exact: true }).waitFor();
    },
  );

  it("finds a job by its id, by the beginning of an id, by its key, by a type, and by a value of its input", async () => {
    const shop = await aShop("postgres");
    await fillShop(shop);
    const { id: laterId } = await shop.startJobSequence({
      ...{ typeName: "send-mail", input: { to: "katherine@example.com", template: "orbit" } },
      ...{ deduplication: { key: "mail 17" }, schedule: { afterMs: 3_600_000 } },
      autocommit: true,
    });
    const page = await open(await serve(shop), "?jobs");
    const rows = page.locator(".job-rows tbody tr");
    const search = page.getByRole("searchbox", { name: "Search jobs" });
    await search.fill(laterId);
    await search.press("Enter");
    await page.getByRole("heading", { name: "send-mail" }).waitFor();
    for (const filter of [
      `id:${laterId.slice(0, 30)}`,
      'key:"mail 17"',
      "type:send-mail is:scheduled since:1h attempt:0",
      'input.to:"katherine@example.com"',
      '"orbit"',
    ]) {
      await page.goto(page.url().replace(/\?.*/, `?jobs&q=${encodeURIComponent(filter)}`));
      await page.locator(`.job-rows a[href*="${laterId}"]`).first().waitFor();
      const isExact = filter.startsWith("key:") || /orbit|katherine/.test(filter);
      if (isExact) expect(await rows.count(), filter).toBe(1);
    }
    await expectAccessible(page);
  });

  it("completes terms and values, shows the cost of each term, and says why a filter cannot be read", async () => {
    const shop = await aShop("postgres");
    await fillShop(shop);
    const page = await open(await serve(shop), "?jobs", { mayFail: true });
    const filter = page.getByRole("combobox", { name: "Filter" });
    await filter.fill("sta");
    await page.getByRole("option", { name: /^status:/ }).waitFor();
    await filter.press("ArrowDown");
    await filter.press("Enter");
    expect(await filter.inputValue()).toBe("status:");
    await filter.press("b");
    await filter.press("ArrowDown");
    await filter.press("Tab");
    expect(await filter.inputValue()).toBe("status:blocked ");
    await filter.press("Enter");
    await page.locator(".job-rows tbody tr").nth(2).waitFor();
    await filter.fill("status:blocked input:A-17");
    await filter.press("Enter");
    await page.getByText("examined", { exact: true }).waitFor();
    expect(await page.locator(".job-rows tbody tr").count()).toBe(1);
    expect(page.url()).toContain("?jobs&q=status:blocked+input:A-17");

    await filter.fill("stattus:failed");
    await filter.press("Enter");
    await page.getByRole("alert").getByText("did you mean").waitFor();
    await page.goBack();
    await page.locator(".job-rows tbody tr").first().waitFor();
    expect(await filter.inputValue()).toBe("status:blocked input:A-17");
    await page.getByRole("button", { name: "Remove input:A-17" }).click();
    await page.locator(".job-rows tbody tr").nth(2).waitFor();
  });

  it("leads by keys alone from the overview to a retry of several jobs", async () => {
    const shop = await aShop("postgres");
    const bank = { isUp: false };
    await startShopWorker(shop, bank);
    await fillShop(shop);
    await settled(shop, 4);
    const page = await open(await serve(shop), "?jobs&q=type:charge-card+status:failed");
    const { keyboard } = page;
    await page.locator(".job-rows tbody tr").nth(2).waitFor();
    for (const key of ["j", "x", "j", "x", "r"]) await keyboard.press(key);
    const dialog = page.getByRole("dialog", { name: "Retry 2 jobs" });
    await dialog.getByRole("textbox").waitFor();
    const name = "(document.activeElement?.textContent || document.activeElement?.tagName || '')";
    const isFocused = async (text: string): Promise<boolean> =>
      String(await page.evaluate(name)).includes(text);
    const tabTo = async (text: string): Promise<void> => {
      for (let count = 0; count < 20 && !(await isFocused(text)); count++)
        await keyboard.press("Tab");
      expect(await isFocused(text), text).toBe(true);
    };
    // The field of the number is a text field, and its name is that of its label.
    await tabTo("INPUT");
    while (!(await page.evaluate("document.activeElement.inputMode === 'numeric'"))) {
      await keyboard.press("Tab");
    }
    await keyboard.type("2");
    bank.isUp = true;
    await tabTo("Retry 2");
    await keyboard.press("Enter");
    await page.getByText("2 of 2 jobs done").waitFor();
    await keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    // The focus is back in the page, where the keys work.
    await goTo(page, "o");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  it("needs no mouse", async () => {
    const shop = await aShop("postgres");
    await fillShop(shop);
    const page = await open(await serve(shop), "");
    await page.getByText("Nothing needs attention").or(page.getByText("Needs attention")).waitFor();
    await goTo(page, "j");
    await page.locator(".job-rows tbody tr").first().waitFor();
    for (const key of ["j", "j", "k", "x"]) await page.keyboard.press(key);
    await expect.poll(() => page.locator(".job-rows tr.at").count()).toBe(1);
    await expect.poll(() => page.locator(".job-rows tr.chosen").count()).toBe(1);
    await page.keyboard.press("e");
    await page.getByRole("dialog", { name: /^Why/ }).getByRole("region", { name: "Why" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await goTo(page, "f");
    await page.locator(".group, .all-well").first().waitFor();
    await page.goBack();
    await page.locator(".job-rows tbody tr").first().waitFor();
    for (const key of ["j", "j"]) await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await page.getByRole("tablist").waitFor();
    await page.getByRole("tab", { name: "Input" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tab", { name: "Output", selected: true }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
  });

  it("hears a key from the moment on that its row is on the page", async () => {
    const shop = await aShop("postgres");
    await fillShop(shop);
    const page = await open(await serve(shop), "");
    await page.evaluate(pressOnceThereIsARow);
    await goTo(page, "j");
    await expect.poll(() => page.locator(".job-rows tr.at").count()).toBe(1);
  });
});
