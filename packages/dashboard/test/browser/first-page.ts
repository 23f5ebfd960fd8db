// Opens a link in Chromium, and waits until the page shows a text: `tsx first-page.ts LINK TEXT`. For checks outside of the tests.
import { findChromium } from "@queuert/test-services/chromium";
import { chromium } from "playwright-core";

const [link = "", text = ""] = process.argv.slice(2);
const { path } = await findChromium();
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: path, args: sandbox });
const problems: string[] = [];
const page = await browser.newPage();
page.on("console", (message) => {
  if (message.type() === "error") problems.push(message.text());
});
page.on("pageerror", (error) => problems.push(error.message));
page.on("request", (request) => {
  if (new URL(request.url()).origin !== new URL(link).origin) problems.push(request.url());
});
try {
  await page.goto(link);
  await page.getByRole("main").getByText(text).first().waitFor();
} finally {
  await browser.close();
}
if (problems.length > 0) throw new Error(`The page has problems:\n${problems.join("\n")}`);
