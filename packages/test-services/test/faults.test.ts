// The faults of servers that need more than a signal: each is shown by its effect on a client.
import { connect } from "@nats-io/transport-node";
import { mkdtempSync, rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { startNatsCluster } from "../src/nats-cluster.ts";
import { createNetworkNamespace } from "../src/network-namespace.ts";
import { startPostgres } from "../src/postgres.ts";
import { slowDownSyncs } from "../src/slow-disk.ts";
import { createWrongClock } from "../src/wrong-clock.ts";
import { closing } from "./closing.ts";

const query = async (url: string, text: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url, query_timeout: 2_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ value: unknown }>(text);
    return rows[0]?.value;
  } finally {
    // Not in order: an end that waits for the server would wait for a lost one, too.
    void client.end().catch(() => undefined);
  }
};

it("brings back older data", async () => {
  await using server = await closing(startPostgres({ exclusive: true }));
  await query(server.url, "CREATE TABLE kept AS SELECT 1 AS value");
  const bringBack = await server.backUp();
  await query(server.url, "UPDATE kept SET value = 2");
  await bringBack();
  expect(await query(server.url, "SELECT value FROM kept")).toBe(1);
}, 60_000);

// A process may trace others, load itself into them, and change networks only there.
const isPermitted = process.platform === "linux" && process.getuid?.() === 0;

if (!isPermitted) {
  it("names the reason where a network of its own is not permitted", () => {
    expect(() => createNetworkNamespace()).toThrow("needs Linux, and root");
  });
}

if (isPermitted) {
  it("sets the clock of one server", async () => {
    const folder = mkdtempSync(join(tmpdir(), "queuert-clock-"));
    try {
      await chmod(folder, 0o711);
      const { environment, set } = createWrongClock(folder);
      await using server = await closing(startPostgres({ exclusive: true, environment }));
      const aheadHours = async (): Promise<number> => {
        const text = "SELECT extract(epoch FROM clock_timestamp())::float8 AS value";
        const seconds = Number(await query(server.url, text));
        // No negative zero.
        return Math.round((seconds - Date.now() / 1_000) / 3_600) + 0;
      };
      for (const hours of [0, 1, -1]) {
        set(hours * 3_600);
        expect(await aheadHours()).toBe(hours);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  it.each(["toServer", "fromServer"] as const)(
    "loses packets %s, and none after that",
    async (direction) => {
      const network = createNetworkNamespace();
      try {
        await using server = await closing(startPostgres({ exclusive: true, network }));
        const client = new pg.Client({ connectionString: server.url, query_timeout: 500 });
        client.on("error", () => {});
        await client.connect();
        network.cut(direction);
        await expect(client.query("SELECT 1")).rejects.toThrow("timeout");
        network.heal();
        expect(await query(server.url, "SELECT 1 AS value")).toBe(1);
        void client.end().catch(() => undefined);
      } finally {
        network.close();
      }
    },
    60_000,
  );

  it("lets a disk confirm slowly, and then at once", async () => {
    await using server = await closing(startPostgres({ exclusive: true, durability: "default" }));
    await query(server.url, "CREATE TABLE kept (value int)");
    const undo = slowDownSyncs(server.pids(), 3_000);
    const insert = (): Promise<unknown> => query(server.url, "INSERT INTO kept VALUES (1)");
    // The client gives up after two seconds.
    await expect
      .poll(() => insert().then(() => "done", String), { timeout: 20_000 })
      .toContain("timeout");
    await undo();
    await insert();
  }, 60_000);
}

it("reaches a client of another NATS server after a node was lost", async () => {
  await using cluster = await closing(startNatsCluster());
  const [first = "", second = "", third = ""] = cluster.url.split(",");
  const reconnecting = { maxReconnectAttempts: -1, reconnectTimeWait: 50 };
  const listener = await connect({ servers: [first, second], noRandomize: true, ...reconnecting });
  const speaker = await connect({ servers: third });
  const heard: string[] = [];
  listener.subscribe("word", { callback: (_error, message) => void heard.push(message.string()) });
  const say = async (word: string): Promise<void> => {
    await expect
      .poll(
        () => {
          speaker.publish("word", word);
          return heard;
        },
        { timeout: 20_000 },
      )
      .toContain(word);
  };
  await say("before");
  await cluster.nodes[0]?.kill();
  await say("after");
  await listener.close();
  await speaker.close();
}, 60_000);
