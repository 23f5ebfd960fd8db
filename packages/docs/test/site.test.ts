import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anchorsOf } from "../src/headings.ts";
import { pageLinks } from "../src/links.ts";
import { llmsFiles } from "../src/llms.ts";
import { rootDir } from "../src/root.ts";
import { pages } from "../src/site-map.ts";
import { stagePages } from "../src/stage-pages.ts";

const staged = stagePages();
const pageAt = (path: string): string | undefined =>
  staged.get(path.replace(/^\//, "").replace(/\/$/, "/index") || "index");

it("has links that lead to pages, and to headings that are there", () => {
  const dead = [...staged].flatMap(([page, markdown]) =>
    pageLinks(markdown)
      .filter(({ path, anchor }) => {
        const target = path === "" ? markdown : pageAt(path);
        return target === undefined || (anchor !== undefined && !anchorsOf(target).has(anchor));
      })
      .map(
        ({ path, anchor }) => `${page} links to ${path}${anchor === undefined ? "" : `#${anchor}`}`,
      ),
  );
  expect(dead).toEqual([]);
});

it("shows every page of a package", () => {
  const sources = new Set(pages.map(({ source }) => source));
  const documents = readdirSync(join(rootDir, "packages")).flatMap((name) =>
    ["docs", "pages"].flatMap((folder) => {
      const path = join(rootDir, "packages", name, folder);
      try {
        return readdirSync(path).map((file) => `packages/${name}/${folder}/${file}`);
      } catch {
        return []; // the package has no such folder
      }
    }),
  );
  const hidden = documents.filter((path) => path.endsWith(".md") && !sources.has(path));
  expect(hidden).toEqual([]);
});

it("has a page for a code of an error, and one for an import", () => {
  expect(pageAt("/errors/QUEUERT_JOB_NOT_FOUND")).toContain("**Remedy.** Check the id.");
  expect(pageAt("/errors")).toContain("(/errors/QUEUERT_JOB_NOT_FOUND)");
  expect(pageAt("/api/postgres/pg")).toContain("## createPgPoolStateProvider");
  expect(pageAt("/api/queuert")).toContain("## createQueuert");
});

it("prints the files of the project that `npm create queuert` writes", () => {
  const page = pageAt("/quick-start");
  expect(page).toContain("createDrizzleStateProvider(db, createPgPoolStateProvider(pool))");
  expect(page).not.toMatch(/^<<</m);
});

it("lists the pages for programs", () => {
  const files = llmsFiles(staged);
  expect(files.get("llms.txt")).toContain(
    "- [Retries](/retries.md): A process function that throws",
  );
  expect(files.get("retries.md")).toBe(staged.get("retries"));
});
