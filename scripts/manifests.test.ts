// The manifests of the public packages: npm searches by them, and refuses provenance without a repository that matches.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packages, rootDir } from "./workspace.mjs";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly repository: object;
  readonly bugs: string;
  readonly homepage: string;
  readonly files: readonly string[];
  readonly publishConfig: { readonly access: string };
}

const home = "https://github.com/queuert/queuert";

const published = packages()
  .filter(({ isPublic }) => isPublic)
  .map(({ dir, path }) => {
    const text = readFileSync(join(path, "package.json"), "utf8");
    return { dir, manifest: JSON.parse(text) as Manifest };
  });

describe.each(published)("the manifest of $dir", ({ dir, manifest }) => {
  it("says where the package comes from", () => {
    const directory = `packages/${dir}`;
    expect(manifest).toMatchObject({
      repository: { type: "git", url: `git+${home}.git`, directory },
      bugs: `${home}/issues`,
      homepage: `${home}/tree/main/${directory}#readme`,
      license: "MIT",
      publishConfig: { access: "public" },
    });
  });

  it("says how the package is found", () => {
    expect(manifest.description.length).toBeGreaterThan(20);
    expect(manifest.keywords.length).toBeGreaterThanOrEqual(3);
    expect(manifest.files.length).toBeGreaterThan(0);
  });
});

it("all public packages have one version, and one changeset describes the first release", () => {
  expect(new Set(published.map(({ manifest }) => manifest.version)).size).toBe(1);
  const changesets = readdirSync(join(rootDir, ".changeset")).filter((name) =>
    name.endsWith(".md"),
  );
  expect(changesets.filter((name) => name !== "README.md")).toEqual(["first-release.md"]);
});

it("workers report the version of core", () => {
  const core = published.find(({ dir }) => dir === "core");
  const remedy = "Run `pnpm set-versions` instead of `changeset version`.";
  const text = readFileSync(join(rootDir, "packages/core/src/worker/library-version.ts"), "utf8");
  expect(text, remedy).toContain(`libraryVersion = "${core?.manifest.version}"`);
});

it("a release is published with provenance", () => {
  const workflow = readFileSync(join(rootDir, ".github/workflows/release.yml"), "utf8");
  expect(workflow).toContain("id-token: write");
  expect(workflow).toMatch(/NPM_CONFIG_PROVENANCE: "true"/);
});
