// Runs once before the tests of this package: builds the page.
import { fileURLToPath } from "node:url";
import { buildApp } from "../scripts/build-app.mjs";

export default async function buildPage(): Promise<void> {
  await buildApp(fileURLToPath(new URL("../dist/assets", import.meta.url)));
}
