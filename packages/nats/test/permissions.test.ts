// A server that does not permit the adapter's operations, and permits them later: it reads its configuration again while
// clients are connected.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectNatsIo } from "@nats-io/transport-node";
import { connect as connectNats } from "nats";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createNatsNotifyAdapter, type NatsConnection } from "../src/index.ts";

const user = { user: "u", pass: "p" };
const patience = { timeout: 10_000, interval: 50 };

let server: { readonly port: number; readonly process: ChildProcess; readonly folder: string };

const freePort = async (): Promise<number> => {
  const listening = createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const bound = listening.address();
  listening.close();
  await once(listening, "close");
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return bound.port;
};

/** Subjects that the user may not publish on, or not subscribe to. */
interface Denied {
  readonly publish?: string;
  readonly subscribe?: string;
}

const configure = (folder: string, port: number, denied: Denied): string => {
  const path = join(folder, "nats.conf");
  const deny = (subject = "nothing"): string => `{ deny: [ "${subject}" ] }`;
  const { publish, subscribe } = denied;
  const permissions = `{ publish: ${deny(publish)}, subscribe: ${deny(subscribe)} }`;
  const lines = [
    `port: ${port}`,
    "host: 127.0.0.1",
    `authorization { users = [ { user: u, password: p, permissions: ${permissions} } ] }`,
  ];
  writeFileSync(path, lines.join("\n"));
  return path;
};

const permitAllBut = (denied: Denied): void => {
  configure(server.folder, server.port, denied);
  server.process.kill("SIGHUP");
};

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-nats-"));
  const port = await freePort();
  const process = spawn("nats-server", ["-c", configure(folder, port, {})], { stdio: "ignore" });
  server = { port, process, folder };
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  const ended = once(server.process, "exit");
  server.process.kill("SIGKILL");
  await ended;
  rmSync(server.folder, { recursive: true, force: true });
});

interface Connected {
  readonly nc: NatsConnection;
  readonly close: () => Promise<void>;
}

const options = () => ({ ...user, servers: `127.0.0.1:${server.port}`, maxReconnectAttempts: -1 });

const clients: readonly (readonly [name: string, open: () => Promise<Connected>])[] = [
  [
    "nats",
    async () => {
      const nc = await connectNats({ ...options(), waitOnFirstConnect: true });
      return { nc, close: () => nc.close() };
    },
  ],
  [
    "@nats-io",
    async () => {
      const nc = await connectNatsIo({ ...options(), waitOnFirstConnect: true });
      return { nc, close: () => nc.close() };
    },
  ],
];

describe.each(clients)("permissions with %s", (_name, open) => {
  const openAdapter = async () => {
    const { nc, close } = await open();
    const errors: unknown[] = [];
    const adapter = await createNatsNotifyAdapter({ nc, onError: (error) => errors.push(error) });
    closing.push(async () => {
      await adapter.close();
      await close();
    });
    return { adapter, errors };
  };

  it("subscribes again when it has been refused meanwhile", async () => {
    const listener = await openAdapter();
    const notifier = await openAdapter();
    let heard = 0;
    const stop = await listener.adapter.listenJobScheduled({
      typeNames: ["email"],
      onJobScheduled: () => (heard += 1),
    });
    const notify = () => notifier.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    const hears = async (): Promise<void> => {
      const before = heard;
      await notify();
      await vi.waitFor(() => expect(heard).toBeGreaterThan(before));
    };
    await hears();

    permitAllBut({ subscribe: "queuert.sched" });
    // Again and again, until it is granted.
    await vi.waitFor(() => expect(listener.errors.length).toBeGreaterThan(2), patience);
    expect(String(listener.errors.at(-1))).toContain('Subscription to "queuert.sched"');
    const before = heard;
    permitAllBut({});
    // Called once, since notifications may have been missed.
    await vi.waitFor(() => expect(heard).toBeGreaterThan(before), patience);
    expect(listener.adapter.stats().reconnected).toBe(1);
    await hears();

    // Not for a listener that has stopped.
    permitAllBut({ subscribe: "queuert.sched" });
    const refused = listener.errors.length;
    await vi.waitFor(() => expect(listener.errors.length).toBeGreaterThan(refused), patience);
    await stop();
    const reported = listener.errors.length;
    await sleep(500);
    expect(listener.errors.length).toBe(reported);
  });

  it("reports that it may not publish", async () => {
    const { adapter } = await openAdapter();
    const notify = () => adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    await notify();
    permitAllBut({ publish: "queuert.sched" });
    const refusal = async (): Promise<void> =>
      expect(notify()).rejects.toThrow("does not permit to publish on queuert.sched");
    await vi.waitFor(refusal, patience);
    // The other channels are not concerned.
    await adapter.notifyJobOwnershipLost(["a"]);
    permitAllBut({});
    await vi.waitFor(notify, patience);
  });
});
