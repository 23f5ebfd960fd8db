// The page is small: a budget for its first load and for all its files, compressed as they are sent.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../scripts/build-app.mjs";

type Metafile = Awaited<ReturnType<typeof buildApp>>;

let folder = "";
let outputs: Metafile["outputs"] = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "queuert-page-"));
  ({ outputs } = await buildApp(join(folder, "assets")));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sizeOf = (path: string): number =>
  gzipSync(readFileSync(join(folder, "assets", basename(path))), { level: 9 }).length;

/** The entry, with the chunks that it imports before it runs. */
const firstLoad = (): readonly string[] => {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === "app/main.tsx");
  const found = new Set(entry === undefined ? [] : [entry]);
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") found.add(imported);
    }
  }
  return [...found];
};

const sum = (paths: readonly string[]): number =>
  paths.reduce((total, path) => total + sizeOf(path), 0);

describe("the size of the page", () => {
  it("is at most 40 kB of scripts and 8 kB of styles at first, and 85 kB in all", () => {
    const all = Object.keys(outputs);
    const scripts = sum(firstLoad());
    const styles = sum(all.filter((path) => path.endsWith(".css")));
    const total = sum(all);
    console.log(`first load ${scripts} + ${styles} bytes, all ${total} bytes, compressed`);
    expect(firstLoad().length).toBeGreaterThan(0);
    expect(scripts).toBeLessThanOrEqual(40_000);
    expect(styles).toBeLessThanOrEqual(8_000);
    expect(total).toBeLessThanOrEqual(85_000);
  });
});
