// A real Chromium on a dashboard that is mounted in a real server. Each page records all that it must not do.
import { providedChromium } from "@queuert/test-services/provided";
import { createDashboard, type DashboardOptions, toNodeHandler } from "@queuert/dashboard";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Shop } from "./shop.ts";

let browser: Browser | undefined;

/** Starts one browser for the tests of a file. */
export const useBrowser = (): void => {
  beforeAll(async () => {
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser = await chromium.launch({ executablePath: providedChromium(), args: sandbox });
  });
  afterAll(() => browser?.close());
};

export interface TestServer {
  readonly url: string;
  /** While it is false, each request of the API is answered with 503. */
  isUp: boolean;
  /** Holds the answers of the API back until `release`. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Stops to listen, and ends the connections. */
  readonly stop: () => Promise<void>;
  /** Listens on its port again. */
  readonly start: () => Promise<void>;
  /** How many streams of hints were asked for. */
  readonly streams: () => number;
}

/** A dashboard below `/queues/` of a server. */
export const serve = async (
  shop: Shop,
  options: Partial<DashboardOptions> = {},
): Promise<TestServer> => {
  const dashboard = createDashboard({
    queuert: shop,
    authorize: () => ({ user: "ada", rights: "admin" }),
    environment: "production",
    storeName: "main",
    // A request that is under way when the test ends finds its store closed.
    onError: (error) => server.listening && console.error(error),
    ...options,
  });
  const handler = toNodeHandler(dashboard);
  const state = { isUp: true };
  let streams = 0;
  let held: (() => void)[] | null = null;
  const hold = (): void => {
    held = [];
  };
  const release = (): void => {
    for (const answer of held ?? []) answer();
    held = null;
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    const [, route] = pathname.split("/api/v1/");
    if (route === "live") streams++;
    if (route !== undefined && held !== null) {
      held.push(() => void handler(request, response));
      return;
    }
    if (route === undefined || state.isUp) return void handler(request, response);
    response.writeHead(503, { "content-type": "application/json" });
    response.end('{"code":"unreachable","message":"The store does not answer."}');
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    ...{ url: `http://127.0.0.1:${port}/queues/`, hold, release, stop },
    start: () => listen(port),
    streams: () => streams,
  });
};

export interface OpenOptions {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  /** The console may say that a request was answered with an error. */
  readonly mayFail?: boolean;
  /** The page has a clock that the test moves. */
  readonly ownClock?: boolean;
  /** The timers by which the page looks again never ring. */
  readonly neverPolls?: boolean;
}

/** Opens an address. At the end of the test: no error, no violation, no other origin, no finding of axe. */
export const open = async (
  { url }: TestServer,
  address: string,
  {
    theme = "light",
    width = 1280,
    mayFail = false,
    ownClock = false,
    neverPolls = false,
  }: OpenOptions = {},
): Promise<Page> => {
  if (browser === undefined) throw new Error("call useBrowser first");
  const context = await browser.newContext({
    viewport: { width, height: 844 },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    const isAnswer = mayFail && message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin && !request.url().startsWith("data:"))
      problems.push(`another origin: ${request.url()}`);
  });
  await page.addInitScript(reportViolations);
  await page.addInitScript(recordRequests);
  onTestFinished(async () => {
    // The timers of axe do not ring by a clock that stands still.
    if (!ownClock) await expectAccessible(page);
    await context.close();
    expect(problems).toEqual([]);
  });
  if (neverPolls) await page.addInitScript(silencePolls);
  if (ownClock) await page.clock.install();
  await page.goto(url + address);
  await page.locator("#content, .alone").first().waitFor();
  return page;
};

// These run in the page, for which this file is not compiled.
const reportViolations = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("violation of " + event.violatedDirective + " by " + event.blockedURI))`;

/** A hint is followed within 1.5 s, and no page looks by itself as often. */
const silencePolls = `const wait = window.setTimeout;
  window.setTimeout = (run, ms, ...rest) => (ms > 1500 ? 0 : wait(run, ms, ...rest))`;

const recordRequests = `window.asked = []; window.unanswered = 0;
  const send = window.fetch;
  window.fetch = (...args) => {
    window.asked.push(String(args[0])); window.unanswered++;
    return send(...args).finally(() => window.unanswered--);
  }`;

/** The addresses that the page has asked for, in order: as the page itself knows them, and not the server. */
export const askedBy = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate("window.asked")) as string[];

/** Waits until each request of the page has its answer. */
export const allAnswered = async (page: Page): Promise<void> => {
  await expect.poll(() => page.evaluate("window.unanswered")).toBe(0);
};

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeViolation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly failureSummary: string;
  }[];
}

/** No serious finding of axe on the page as it is now, and nothing that is wider than the page. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axe);
  const found = (await page.evaluate("axe.run()")) as { readonly violations: AxeViolation[] };
  const serious = found.violations.filter(
    ({ impact }) => impact === "serious" || impact === "critical",
  );
  expect(
    serious.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")} ${failureSummary}`),
    ),
  ).toEqual([]);
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  expect(overflow).toBeLessThanOrEqual(0);
};
