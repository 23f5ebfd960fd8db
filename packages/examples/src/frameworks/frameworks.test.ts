// The servers of docs/frameworks.md: a request starts a job, and SIGTERM ends the server, the job and the connections in order.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const page = readFileSync(
  new URL("../../../core/docs/frameworks.md", import.meta.url),
  "utf8",
).replaceAll(/\s+/g, " ");

it("the page of Next.js prints the application that `pnpm next-recipe` builds", () => {
  const nextPage = readFileSync(new URL("../../../core/docs/nextjs.md", import.meta.url), "utf8");
  for (const name of ["lib/queuert.ts", "instrumentation.ts", "app/api/work/route.ts"]) {
    expect(nextPage).toContain(
      readFileSync(new URL(`../../next/${name}`, import.meta.url), "utf8"),
    );
  }
});

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
};

it.each(["fastify", "express", "hono"])("%s ends in order", { timeout: 60_000 }, async (name) => {
  const source = readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8");
  const [, body = ""] = source.split("await openQueuert();\n");
  expect(page).toContain(body.replaceAll(/\s+/g, " ").trim());

  const port = await freePort();
  const tsx = new URL("../../../../node_modules/tsx/dist/loader.mjs", import.meta.url).href;
  const program = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const args = ["--conditions=@queuert/source", "--import", tsx, program];
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const start = async (): Promise<number> => {
    // `close` waits for connections that are kept alive.
    const headers = { connection: "close" };
    const response = await fetch(`http://localhost:${port}/mails`, { method: "POST", headers });
    return response.status;
  };
  await expect.poll(() => start().catch(() => 0), { timeout: 30_000 }).toBe(200);
  await expect.poll(() => output, { timeout: 10_000 }).toContain("a job runs");
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number | null];
  expect(output).toBe("a job runs\nthe job ends: shutdown\nthe database is closed\n");
  expect(code).toBe(0);
});
