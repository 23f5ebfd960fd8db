import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore, seed } from "./stores.ts";

const message = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

it("mcp answers an agent on standard input and output, and ends with its input", async () => {
  const project = createProject();
  const store = await createStore("sqlite", project.folder);
  await seed(store);
  const running = project.start(["--url", store.url, "mcp"], { keepsInput: true });
  running.child.stdin?.write(
    message(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "agent", version: "1.0.0" },
    }) + message(2, "tools/call", { name: "overview", arguments: {} }),
  );
  await expect.poll(() => running.output(), { timeout: 30_000 }).toContain('"id":2');
  running.child.stdin?.end();
  const { stdout, exitCode } = await running.ended;
  expect(exitCode).toBe(0);
  const [, overview] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result: { structuredContent: unknown } });
  expect(overview?.result.structuredContent).toMatchObject({ totals: { pending: 2, failed: 1 } });
});

it("skill install copies the skill of the package, and replaces no other file unasked", async () => {
  const project = createProject();
  const path = join(project.folder, ".agents/skills/queuert-operations/SKILL.md");
  const first = await project.queuert(["skill", "install"]);
  expect([first.exitCode, first.stdout]).toEqual([
    0,
    "wrote .agents/skills/queuert-operations/SKILL.md\n",
  ]);
  expect(readFileSync(path, "utf8")).toContain("name: queuert-operations");
  expect((await project.queuert(["skill", "install"])).exitCode).toBe(0);
  writeFileSync(path, "my own");
  expect((await project.queuert(["skill", "install"])).exitCode).toBe(4);
  expect(readFileSync(path, "utf8")).toBe("my own");
  expect((await project.queuert(["skill", "install", "--force"])).exitCode).toBe(0);
  const elsewhere = await project.queuert(["skill", "install", "skills", "--json"]);
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({
    written: ["skills/queuert-operations/SKILL.md"],
  });
});
