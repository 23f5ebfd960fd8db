// The rules that a machine can check. Each test prints the places, or the numbers, that break it.
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes, listedErrorCodes } from "./tidy/errors.ts";
import { exampleProblems, examplesOf } from "./tidy/examples.ts";
import { silentExports } from "./tidy/exports.ts";
import { entryPoints, silentOptions } from "./tidy/options.ts";
import { missingPaths } from "./tidy/documents.ts";
import {
  exists,
  files,
  isTest,
  isTypeScript,
  lineCount,
  occurrences,
  percentile,
  sources,
} from "./tidy/files.ts";
import { bannedWordReport, longSentenceReport, type Report } from "./tidy/language.ts";
import { subjectsSince } from "./tidy/history.ts";
import { bannedWords, longSentences, proseOf } from "./tidy/prose.ts";
import { functionLengths, methodNames } from "./tidy/functions.ts";
import {
  adapterViolations,
  coreLayerViolations,
  migrationViolations,
  specifiers,
} from "./tidy/imports.ts";
import { filesOfWalk, strayFiles, tablesOfWalk } from "./tidy/walk.ts";

const code = files.filter(({ path }) => /\.(ts|tsx|mts|mjs)$/.test(path));
// This folder is where the forbidden things are spelled out.
const others = files.filter(({ path }) => !path.startsWith("scripts/tidy"));
// Generated, or the list of banned words itself.
const prosaic = others.filter(({ path }) => path !== "scripts/tidy.test.ts");

describe("size", () => {
  it("has files of 80 lines in the middle and 210 at the long end", () => {
    const lengths = sources.map(lineCount);
    const report = { median: percentile(lengths, 0.5), p95: percentile(lengths, 0.95) };
    console.log(`${sources.length} source files: median ${report.median}, p95 ${report.p95} lines`);
    expect(report.median).toBeLessThanOrEqual(80);
    expect(report.p95).toBeLessThanOrEqual(210);
  });

  it("says at the top why a file is longer than 300 lines", () => {
    const long = code.filter((file) => !isTest(file) && lineCount(file) > 300);
    const silent = long.filter(({ text }) => !/^\/\/.*max-lines -- \S+/m.test(text));
    expect(silent.map((file) => `${file.path}: ${lineCount(file)} lines`)).toEqual([]);
  });

  it("has functions of at most 40 lines at the long end", () => {
    const found = sources.flatMap(functionLengths);
    const p95 = percentile(
      found.map(({ lines }) => lines),
      0.95,
    );
    const longest = found.sort((a, b) => b.lines - a.lines).slice(0, 10);
    console.log(`${found.length} functions: p95 ${p95} lines; the longest:`);
    for (const { at, lines } of longest) console.log(`  ${lines} ${at}`);
    expect(p95).toBeLessThanOrEqual(40);
  });

  it("keeps CLAUDE.md short enough to be read", () => {
    const guide = files.filter(({ path }) => path === "CLAUDE.md");
    expect(guide.filter((file) => lineCount(file) > 60).map(lineCount)).toEqual([]);
  });
});

describe("names", () => {
  const banned =
    /(^|[-._/])(helpers?|utils?|managers?|common|misc|data|info|handlers?|impl|wrappers?|base)([-._/]|$)/;

  it("uses no word in a file or folder name that says nothing", () => {
    // Names that tools know, and one that users do: extendWithCommon.
    const given = /^tsconfig\.(test\.)?base\.json$|\/extend-with-common\.ts$/;
    const vague = files.filter(({ path }) => banned.test(path) && !given.test(path));
    expect(vague.map(({ path }) => path)).toEqual([]);
  });

  it("writes file names in kebab-case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
    const odd = code.filter(({ path }) => !kebab.test(path.split("/").at(-1) ?? ""));
    expect(odd.map(({ path }) => path)).toEqual([]);
  });
});

describe("the walk", () => {
  it("leads through files that exist", () => {
    expect(filesOfWalk.filter((path) => !exists(path))).toEqual([]);
  });

  it("goes only where an import or a seam leads", () => {
    const importsOf = (path: string): readonly string[] => {
      const file = sources.find((source) => source.path === path);
      if (file === undefined) return [];
      return specifiers(file)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => posix.join(posix.dirname(path), specifier));
    };
    expect(strayFiles(importsOf)).toEqual([]);
  });

  it("is listed and counted in its README", () => {
    const readme = files.find(({ path }) => path === "packages/core/src/lifecycle/README.md");
    expect(readme?.text).toContain(tablesOfWalk());
  });
});

describe("comments", () => {
  it("drops no error without a word", () => {
    const bare = /catch\s*(\(\w*\))?\s*\{\s*\}|\.catch\(\s*\(\)\s*=>\s*\{\s*\}\s*\)/;
    const found = code.filter(({ path }) => !path.startsWith("scripts/tidy"));
    expect(
      found.filter((file) => !isTest(file)).flatMap((file) => occurrences(file, bare)),
    ).toEqual([]);
  });

  it("links every TODO to an issue", () => {
    const open = /\b(TODO|FIXME|XXX)\b(?!.*(#\d+|https?:\/\/))/;
    const found = others.filter((file) => code.includes(file));
    expect(found.flatMap((file) => occurrences(file, open))).toEqual([]);
  });

  it("gives a reason for every rule that is switched off in place", () => {
    // The reason is in the comment itself, or is the comment above it.
    const silent = /(?<!\/\/.*\n\s*)\/[/*] ?(?:(?:ox|es)lint-disable(?!.* -- \S)|@ts-\S+\s*$)/m;
    const found = others.filter((file) => code.includes(file) && !file.path.endsWith(".test-d.ts"));
    expect(found.filter(({ text }) => silent.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("names only paths that exist", () => {
    expect(files.flatMap(missingPaths)).toEqual([]);
  });
});

describe("plain English", () => {
  const log = (title: string, reports: readonly Report[]): void => {
    const rows = reports.map(({ area, found, allowed }) => `  ${area}: ${found} of ${allowed}`);
    console.log([`${title}:`, ...rows].join("\n"));
  };

  it("names nouns: no banned word beyond the allowance of its area", () => {
    const { reports, broken } = bannedWordReport(prosaic);
    log("banned words", reports);
    expect(broken).toEqual([]);
  });

  it("writes sentences of at most 25 words, beyond the allowance of the area", () => {
    const { reports, broken } = longSentenceReport(prosaic);
    log("sentences over 25 words", reports);
    expect(broken).toEqual([]);
  });

  it("finds banned words in comments, titles and documents, and leaves code alone", () => {
    const source = 'const who = "http://who"; // tells somebody\nit("is told who", () => {});\n';
    const inSource = proseOf({ path: "a.ts", text: source }).flatMap(bannedWords);
    expect(inSource.map(({ at }) => at)).toEqual([
      'a.ts:1: "somebody" in: tells somebody',
      'a.ts:2: "who" in: is told who',
    ]);
    const document = "One `who` and\n\n```sh\nwho\n```\n\nNobody.\n";
    const inDocument = proseOf({ path: "a.md", text: document }).flatMap(bannedWords);
    expect(inDocument.map(({ at }) => at)).toEqual(['a.md:7: "Nobody" in: Nobody.']);
  });

  it("counts the words of a sentence across the lines of a comment", () => {
    const half = "a ".repeat(13);
    const text = `// A ${half}\n// ${half}b.\n// A ${half} done.\nconst a = 1;\n`;
    const found = proseOf({ path: "a.ts", text }).flatMap(longSentences);
    expect(found.map(({ at }) => at.split(" words")[0])).toEqual(["a.ts:1: 28"]);
  });
});

describe("public options", () => {
  const manifests = files.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path));

  it("have a hover, which names the default of an option that may be left out", () => {
    const entries = manifests.flatMap(entryPoints);
    expect(entries).toContain("packages/postgres/src/providers/pg.ts");
    expect(silentOptions(entries, files.filter(isTypeScript))).toEqual([]);
  });

  it("are found behind re-exports", () => {
    const own = [
      "/** One. */\nreadonly a: string;",
      "readonly b: string;",
      "/** Two. */\nreadonly c?: string;",
    ].join("\n");
    const found = silentOptions(
      ["entry.ts"],
      [
        { path: "entry.ts", text: 'export * from "./public.ts";' },
        { path: "public.ts", text: 'export { type AOptions } from "./own.ts";' },
        {
          path: "own.ts",
          text: `export interface AOptions {\n${own} }\nexport interface BOptions { readonly b: 1 }`,
        },
      ],
    );
    expect(found).toEqual([
      "own.ts: AOptions.b has no hover",
      "own.ts: AOptions.c does not name its default",
    ]);
  });
});

describe("exported names", () => {
  const manifests = files.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path));
  const entries = manifests.flatMap(entryPoints);
  const typeScript = files.filter(isTypeScript);

  it("have a hover, and functions an example", () => {
    expect(silentExports(entries, typeScript)).toEqual([]);
  });

  it("are found silent behind re-exports", () => {
    const own =
      "/** One. */\nexport const a = () => 1;\nexport interface B {}\nexport const c = 1;";
    const found = silentExports(
      ["entry.ts"],
      [
        { path: "entry.ts", text: 'export { a, type B as D } from "./own.ts";' },
        { path: "own.ts", text: own },
      ],
    );
    expect(found).toEqual([
      "own.ts: a has no `@example` with a block of ts",
      "own.ts: D has no hover",
    ]);
  });

  it("have examples that compile", { timeout: 120_000 }, () => {
    const examples = examplesOf(manifests, typeScript);
    expect(examples.length).toBeGreaterThan(60);
    expect(exampleProblems(examples)).toEqual([]);
  });
});

describe("errors", () => {
  const page = files.find(({ path }) => path === "packages/core/docs/errors.md");
  const listed = listedErrorCodes(page?.text ?? "");

  it("have an entry with a reason and a remedy for each code, in packages/core/docs/errors.md", () => {
    expect(errorCodes(sources).filter((code) => !listed.includes(code))).toEqual([]);
  });

  it("have no entry for a code that is gone, and none twice", () => {
    const codes = new Set(errorCodes(sources));
    expect(listed.filter((code) => !codes.has(code))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe("arrows", () => {
  it("lets adapters import only from the packages that core publishes for them", () => {
    expect(files.filter(isTypeScript).flatMap(adapterViolations)).toEqual([]);
  });

  it("lets core's layers import only from below", () => {
    expect(files.filter(isTypeScript).flatMap(coreLayerViolations)).toEqual([]);
  });
});

describe("frozen migrations", () => {
  it("import nothing but types, and only their runner imports them", () => {
    expect(files.filter(isTypeScript).flatMap(migrationViolations)).toEqual([]);
  });
});

describe("one contract method, one file name", () => {
  const contract = files.find(({ path }) => path.endsWith("core/src/adapters/state-adapter.ts"));
  // How a store opens transactions is the business of its provider.
  const infrastructure = new Set(["provideContext", "runInTransaction", "isInTransaction"]);
  const methods = (contract ? methodNames(contract, "StateAdapter") : []).filter(
    (name) => !infrastructure.has(name),
  );
  const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
  const places = [
    { folder: "packages/core/src/in-process/state", suffix: ".ts" },
    { folder: "packages/core/src/testing/state", suffix: ".suite.ts" },
    { folder: "packages/postgres/src/state", suffix: ".ts" },
    { folder: "packages/sqlite/src/state", suffix: ".ts" },
    { folder: "packages/mongodb/src/state", suffix: ".ts" },
  ];

  it("finds the contract's methods", () => {
    expect(methods).toContain("acquireJobs");
  });

  it.each(places.filter(({ folder }) => exists(folder)))("$folder", ({ folder, suffix }) => {
    // A method with several parts has a folder of its name.
    const isThere = (name: string): boolean =>
      exists(`${folder}/${name}${suffix}`) || exists(`${folder}/${name}/${name}${suffix}`);
    expect(methods.map(kebab).filter((name) => !isThere(name))).toEqual([]);
  });
});

describe("one method for operators, one file name", () => {
  const contract = files.find(({ path }) => path.endsWith("core/src/adapters/operator-store.ts"));
  const methods = contract ? methodNames(contract, "OperatorStore") : [];
  const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);

  it("finds the contract's methods", () => {
    expect(methods).toContain("examineJobs");
  });

  // Each method is optional, but the reference store has them all, except that of row locks: its acquisitions wait for the open
  // transaction, and skip no job.
  it.each([
    { folder: "packages/core/src/in-process/operator", suffix: ".ts", lacks: ["findLocks"] },
    { folder: "packages/core/src/testing/operator", suffix: ".suite.ts", lacks: [] },
  ])("$folder", ({ folder, suffix, lacks }) => {
    const isThere = (name: string): boolean => exists(`${folder}/${kebab(name)}${suffix}`);
    expect(methods.filter((name) => !isThere(name))).toEqual(lacks);
  });
});

describe("history", () => {
  it("has commit subjects of at most 72 characters", () => {
    expect(subjectsSince("2026-11-19T11:00:00Z").filter(({ length }) => length > 72)).toEqual([]);
  });
});

describe("this machine", () => {
  it("is nowhere in the repository", () => {
    const local = /(^|[^\w.])\/(work|root|home|Users)\/\w|https?:\/\/[^/\s]*\bregistry\b/;
    expect(others.flatMap((file) => occurrences(file, local))).toEqual([]);
  });
});
