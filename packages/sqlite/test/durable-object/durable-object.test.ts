// Jobs in a Durable Object, in the program that Cloudflare runs them with.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { createDurableObjectStateProvider } from "../../src/providers/durable-object.ts";
import { startWorkerd } from "./workerd.ts";

const greeting = { greeting: "Hello Ada" };
const refused = "QUEUERT_NOT_IN_TRANSACTION";

it("starts, completions and rows are committed and rolled back together, also after a restart", async () => {
  const module = fileURLToPath(new URL("object.ts", import.meta.url));
  const workerd = await startWorkerd(
    `export * from ${JSON.stringify(module)};
export { default } from ${JSON.stringify(module)};`,
    "Jobs",
  );
  const ask = (object: string, check: string) => workerd.ask(`/${object}/${check}`);
  expect(await ask("a", "rollback")).toEqual(["rolled back on purpose", [[0, 0]]]);
  expect(await ask("b", "kept")).toEqual([refused, refused, [[0, 0]]]);
  expect(await ask("c", "long")).toEqual([[0, 3]]);
  // Each job's first attempt is rolled back, and its second one completes with a row and a next job.
  const once = [2, expect.objectContaining({ status: "completed", output: greeting }), [[1, 2]]];
  expect(await ask("d", "once")).toEqual(once);
  expect(await ask("e", "worker")).toEqual([greeting, [[1, 2]]]);
  expect(await ask("f", "alarm")).toBe("set");
  await vi.waitFor(async () => expect(await ask("f", "look")).toEqual([[1, 2]]), {
    timeout: 20_000,
    interval: 100,
  });
  await workerd.restart();
  expect(await ask("e", "look")).toEqual([[1, 2]]);
  // The three jobs of the object are still there.
  expect(await ask("c", "once")).toEqual([8, expect.anything(), [[4, 8]]]);
}, 120_000);

it("the page runs as printed", async () => {
  const page = readFileSync(new URL("../../docs/durable-object.md", import.meta.url), "utf8");
  const [, block = ""] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const { ask } = await startWorkerd(
    `${block}
export default { fetch: (request, { JOBS }) => JOBS.get(JOBS.idFromName("one")).fetch(request) };`,
    "Users",
  );
  expect(await ask("/?email=ada")).toEqual([["ada", 0]]);
  await vi.waitFor(
    async () => expect(await ask("/?email=bob")).toEqual(expect.arrayContaining([["ada", 1]])),
    { timeout: 20_000, interval: 100 },
  );
}, 60_000);

it.each([
  ["nothing", undefined],
  ["the object", { storage: {} }],
  ["storage without SQLite", { transaction: () => undefined, transactionSync: () => undefined }],
])("is refused: %s", (_, storage) => {
  expect(() => createDurableObjectStateProvider(storage as never)).toThrow(
    expect.objectContaining({ code: "QUEUERT_INVALID_OPTION" }),
  );
});
