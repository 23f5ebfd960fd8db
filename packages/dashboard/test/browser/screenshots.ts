// Takes a picture of every view, in both themes and each width, into `build/screenshots`. Two of them are the README's.
// `pnpm --filter @queuert/dashboard screenshots`, after `build:app`.
import { createDashboard, type DashboardOptions, toNodeHandler } from "@queuert/dashboard";
import { findChromium } from "@queuert/test-services/chromium";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { openShops } from "./filled-shop.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}build/screenshots/`;
const { shop, empty, orders, brokenId, album, close } = await openShops();

const serve = async (queuert: object, options: Partial<DashboardOptions> = {}) => {
  const dashboard = createDashboard({
    ...{ queuert, environment: "production", storeName: "main" },
    authorize: () => ({ user: "ada", rights: "admin" }),
    ...options,
  });
  const handler = toNodeHandler(dashboard);
  const state = { isUp: true };
  const server = createServer((request, response) => {
    const isApi = request.url?.includes("/api/v1/") ?? false;
    if (!isApi || state.isUp) return void handler(request, response);
    response.writeHead(503, { "content-type": "application/json" });
    response.end('{"code":"unreachable","message":"The store did not answer."}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return Object.assign(state, { url, close: () => server.close() });
};

const [full, viewer, none] = [
  await serve(shop),
  await serve(shop, { authorize: () => "view" }),
  await serve(empty),
];

const [order] = orders;
const views: Readonly<Record<string, string>> = {
  overview: "",
  jobs: "?jobs",
  sequences: "?jobs&unit=sequences&roots=true",
  filter: "?jobs&q=status:failed+input:A-2",
  "bad-filter": "?jobs&q=stattus:failed",
  "no-match": "?jobs&q=type:absent",
  job: `?job=${order?.shipId}`,
  attempts: `?job=${order?.chargeId}`,
  time: `?job=${order?.shipId}&view=time`,
  list: `?job=${order?.shipId}&view=list`,
  "mail-failed": `?job=${brokenId}`,
  "no-job": "?job=absent",
  sequence: `?sequence=${album.id}`,
  failures: "?failures",
  types: "?types",
  type: "?type=charge-card",
  "no-type": "?type=absent",
  schedules: "?schedules",
  schedule: "?schedules=nightly-report",
  limits: "?limits",
  "limit-keys": "?limits=crm-api",
  workers: "?workers",
  activity: "?activity",
};

const emptyViews = [
  "",
  "?jobs",
  "?failures",
  "?types",
  "?schedules",
  "?limits",
  "?workers",
  "?activity",
];

/** Views that have to be opened by hand. */
const opened: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  logs: async (page) => {
    await page.goto(`${full.url}?job=${order?.chargeId}`);
    await page.getByRole("tab", { name: "Logs" }).click();
    await page.locator(".logs").scrollIntoViewIfNeeded();
  },
  input: async (page) => {
    await page.goto(`${full.url}?job=${order?.chargeId}`);
    await page.getByRole("tab", { name: "Input" }).click();
  },
  facts: async (page) => {
    await page.goto(`${full.url}?job=${order?.chargeId}`);
    await page.getByRole("tab", { name: "Facts" }).click();
  },
  explain: async (page) => {
    await page.goto(`${full.url}?jobs`);
    await page.locator(".job-rows tbody tr").first().waitFor();
    for (const key of ["j", "e"]) await page.keyboard.press(key);
    await page.getByRole("region", { name: "Why" }).waitFor();
  },
  plan: async (page) => {
    await page.goto(`${full.url}?failures`);
    await page.getByRole("button", { name: "Retry" }).first().click();
    await page.getByText("This plan expires").waitFor();
  },
  chosen: async (page) => {
    await page.goto(`${full.url}?jobs&q=status:failed`);
    await page.locator(".job-rows tbody tr").first().waitFor();
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
  },
  completion: async (page) => {
    await page.goto(`${full.url}?jobs`);
    await page.getByRole("combobox").last().fill("st");
    await page.getByRole("listbox").waitFor();
  },
  backfill: async (page) => {
    await page.goto(`${full.url}?schedules=nightly-report`);
    await page.getByLabel("From, by your clock").fill("2026-11-01T00:00");
    await page.getByText("ticks to start").waitFor();
    await page.getByRole("button", { name: "Plan the start…" }).scrollIntoViewIfNeeded();
  },
  "plan-backfill": async (page) => {
    await page.getByRole("button", { name: "Plan the start…" }).click();
    await page.getByText("This plan expires").waitFor();
  },
  "pause-key": async (page) => {
    await page.goto(`${full.url}?limits=crm-api`);
    await page.getByRole("button", { name: "Pause acme" }).click();
    await page.getByRole("dialog").waitFor();
  },
  help: async (page) => {
    await page.goto(full.url);
    await page.getByText("Needs attention").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
  },
  viewer: async (page) => {
    await page.goto(`${viewer.url}?job=${order?.chargeId}`);
    await page.getByRole("tab", { name: "Input" }).click();
  },
  stale: async (page) => {
    await page.goto(full.url);
    await page.getByText("Needs attention").waitFor();
    full.isUp = false;
    await page
      .getByText(/answer/i)
      .first()
      .waitFor();
    full.isUp = true;
  },
  away: async (page) => {
    full.isUp = false;
    await page.goto(full.url);
    await page.getByRole("alert").waitFor();
    full.isUp = true;
  },
};

const take = async (browser: Browser, colorScheme: "light" | "dark", width: number) => {
  const { page, viewport, close: closePage } = await aPage(browser, colorScheme, width);
  const shoot = async (name: string): Promise<void> => {
    await page.screenshot({ path: `${folder}${name}-${colorScheme}-${width}.png` });
  };
  for (const [name, address] of Object.entries(views)) {
    await page.goto(full.url + address);
    await page.waitForLoadState("networkidle");
    await shoot(name);
    // The rest of a long page.
    const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
    if (height < viewport.height * 1.2) continue;
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.waitForTimeout(100);
    await shoot(`${name}-end`);
  }
  for (const address of emptyViews) {
    await page.goto(none.url + address);
    await page.waitForLoadState("networkidle");
    await shoot(`empty-${address.slice(1) || "overview"}`);
  }
  for (const [name, openView] of Object.entries(opened)) {
    await openView(page);
    await page.waitForTimeout(300);
    await shoot(name);
  }
  if (width < 500) {
    await page.goto(full.url);
    await page.getByRole("button", { name: "More" }).click();
    await shoot("more");
  } else {
    await page.goto(`${full.url}?jobs`);
    await page.getByRole("button", { name: "Columns…" }).click();
    await page.getByRole("dialog").waitFor();
    await shoot("columns");
  }
  await closePage();
};

const aPage = async (browser: Browser, colorScheme: "light" | "dark", width: number) => {
  const viewport = { width, height: width < 500 ? 844 : 820 };
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  return { page: await context.newPage(), viewport, close: () => context.close() };
};

/** A picture of the README, from the width of a laptop. */
const takeForReadme = async (
  browser: Browser,
  name: string,
  colorScheme: "light" | "dark",
  address: string,
): Promise<void> => {
  const { page, close: closePage } = await aPage(browser, colorScheme, 1280);
  await page.goto(full.url + address);
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: `${root}docs/${name}.png` });
  await closePage();
};

mkdirSync(folder, { recursive: true });
const { path } = await findChromium();
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: path, args: sandbox });
for (const theme of ["light", "dark"] as const) {
  for (const width of [1440, 768, 390]) await take(browser, theme, width);
}
await takeForReadme(browser, "overview", "light", "");
await takeForReadme(browser, "job", "dark", `?job=${order?.shipId}`);
await browser.close();
for (const server of [full, viewer, none]) server.close();
await close();
