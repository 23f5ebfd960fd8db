// The settings of packages/core/docs/commonjs-and-jest.md load the packages, and other settings refuse them as that page says.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleCode } from "../../../../scripts/bundle.mjs";

const rootDir = fileURLToPath(new URL("../../../..", import.meta.url));
const core = join(rootDir, "packages/core");
const resolve = createRequire(import.meta.url).resolve;
const nodeMajor = Number(process.versions.node.split(".")[0]);

/** An application with the published manifest, the code of the package, and one declaration. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), "queuert-commonjs-")));

const run = (
  args: readonly string[],
): { readonly code: number | null; readonly output: string } => {
  const env = { ...process.env, NODE_OPTIONS: "", FORCE_COLOR: "0" };
  const result = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
  return { code: result.status, output: result.stdout + result.stderr };
};

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

interface Manifest {
  readonly publishConfig: { readonly exports: object };
}

beforeAll(async () => {
  const installed = join(folder, "node_modules/queuert");
  mkdirSync(join(installed, "dist"), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(core, "package.json"), "utf8")) as Manifest;
  const { exports } = manifest.publishConfig;
  writeFileSync(join(installed, "package.json"), JSON.stringify({ ...manifest, exports }));
  await bundleCode(core, join(installed, "dist"));
  // How a module is resolved does not depend on its content.
  const declaration = "export declare const createQueuert: (options: object) => Promise<object>;\n";
  writeFileSync(join(installed, "dist/index.d.ts"), declaration);
  write("package.json", JSON.stringify({ private: true }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("Node", () => {
  it("requires the packages as they are", () => {
    write("main.cjs", 'console.log(typeof require("queuert").createQueuert);\n');
    expect(run(["main.cjs"]).output).toContain("function");
  });
});

describe("TypeScript", () => {
  const tsc = join(rootDir, "node_modules/typescript/lib/tsc.js");
  const compile = (...options: readonly string[]) =>
    run([tsc, "--noEmit", "--strict", "--target", "es2022", ...options, "main.ts"]);

  beforeAll(() =>
    write("main.ts", 'import { createQueuert } from "queuert";\nvoid createQueuert({});\n'),
  );

  it.each([
    ["nodenext", ["--module", "nodenext"]],
    ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("compiles with %s", (_, options) => {
    expect(compile(...options)).toEqual({ code: 0, output: "" });
  });

  it.each([
    ["commonjs", ["--module", "commonjs"], "TS2307"],
    ["node16", ["--module", "node16"], "TS1479"],
  ])("refuses the import with %s", (_, options, error) => {
    const { code, output } = compile(...options);
    expect(output).toContain(error);
    expect(code).not.toBe(0);
  });
});

describe("Jest", () => {
  const jest = (file: string) =>
    run([
      "--experimental-vm-modules",
      join(dirname(resolve("jest/package.json")), "bin/jest.js"),
      ...["--ci", "--watchman=false", "--rootDir", folder, "--testMatch", `**/${file}`],
      ...["--transform", "{}", "--runInBand"],
    ]);

  const test = (imports: string): string => `${imports}
expect.extend(queuertMatchers);
test("matchers", async () => {
  const t = await createTestQueuert({ jobTypeDefinitions: defineUnionJobTypes() });
  await t.queuert.startJobSequence({ autocommit: true, typeName: "mail", input: { to: "ada" } });
  await expect(t).toHaveStarted("mail", { input: { to: expect.any(String) }, times: 1 });
  await expect(t).not.toHaveStarted("mail", { input: { to: "bob" } });
  await expect(expect(t).toHaveStarted("audit")).rejects.toThrow(/Started: mail/);
  await expect(expect(t).not.toHaveStarted("mail")).rejects.toThrow(/mail/);
  await t.close();
});
`;

  it("runs the matchers in tests that are ES modules", () => {
    const imports = `import { defineUnionJobTypes } from "queuert";
import { createTestQueuert, queuertMatchers } from "queuert/test";`;
    write("module.test.mjs", test(imports));
    const { code, output } = jest("module.test.mjs");
    expect(output).toContain("1 passed");
    expect(code).toBe(0);
  }, 60_000);

  it("loads the package in CommonJS tests on Node 24 and newer, and says so on older ones", () => {
    const requires = `const { defineUnionJobTypes } = require("queuert");
const { createTestQueuert, queuertMatchers } = require("queuert/test");`;
    write("commonjs.test.cjs", test(requires));
    const { code, output } = jest("commonjs.test.cjs");
    expect(output).toContain(nodeMajor >= 24 ? "1 passed" : "Must use import to load ES Module");
    expect(code).toBe(nodeMajor >= 24 ? 0 : 1);
  }, 60_000);
});
