import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isAlive } from "../src/process/process-tree.ts";
import { startRedis } from "../src/redis.ts";

const script = fileURLToPath(new URL("./starts-and-dies.ts", import.meta.url));

describe("lifetime", () => {
  it.each(["SIGKILL", "SIGTERM"] as const)(
    "ends the server and removes its files when its process gets %s",
    async (name) => {
      const child = spawn(process.execPath, ["--import", "tsx", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      const { folder, pid } = JSON.parse(line) as { folder: string; pid: number };
      expect(isAlive(pid)).toBe(true);
      child.kill(name);
      await expect.poll(() => isAlive(pid), { timeout: 8_000 }).toBe(false);
      await expect.poll(() => existsSync(folder), { timeout: 8_000 }).toBe(false);
    },
  );

  it("leaves no file behind when closed", async () => {
    const server = await startRedis({ exclusive: true });
    await server.close();
    expect(existsSync(server.logPath)).toBe(false);
  });

  it("refuses to harm a server from the environment", async () => {
    process.env["QUEUERT_TEST_REDIS_URL"] = "redis://127.0.0.1:1";
    try {
      const server = await startRedis();
      expect(server.port).toBe(1);
      await expect(server.restart()).rejects.toThrow("exclusive: true");
    } finally {
      delete process.env["QUEUERT_TEST_REDIS_URL"];
    }
  });
});
