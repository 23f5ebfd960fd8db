// A primary with a streaming standby, and a proxy that leads to whichever is the primary.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { systemBinaries } from "./postgres.ts";
import { postgresDatabases, type PostgresDatabases, queryOnce } from "./postgres-server.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, type ServerControl } from "./process/server.ts";
import { unprivileged } from "./process/unprivileged.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

export type PostgresPair = PostgresDatabases & {
  /** Whichever is the primary at the moment. */
  readonly server: ServerControl;
  /** The standby has everything until now, and receives nothing more: it becomes an older copy. */
  readonly detach: () => Promise<void>;
  /** Kills the primary, makes the standby the primary, and starts a new standby. A detached one brings back its older data. */
  readonly failOver: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type Node = ServerControl & { readonly url: string; readonly port: number };

const waitUntil = async (url: string, condition: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
      const { rows } = await client.query<{ holds: boolean }>(`SELECT ${condition} AS holds`);
      if (rows[0]?.holds === true) return;
    }
    throw new Error(`Not within half a minute: ${condition}`);
  } finally {
    await client.end();
  }
};

/** The condition that the standby has replayed everything until now. */
const caughtUp = async (url: string): Promise<string> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ at: string }>("SELECT pg_current_wal_lsn()::text AS at");
    return `EXISTS (SELECT FROM pg_stat_replication WHERE replay_lsn >= '${rows[0]?.at}')`;
  } finally {
    await client.end();
  }
};

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  wal_level: "replica",
  max_wal_senders: "10",
  hot_standby: "on",
  wal_keep_size: "64MB",
};

/** `from`: the primary that it is a copy of; null for the first one. */
const startNode = async (from: Node | null): Promise<Node> => {
  const { postgres, initdb } = await systemBinaries();
  const runner = unprivileged(postgres);
  const folder = createFolder("postgres-pair", "SIGQUIT");
  const data = folder.createInside("data");
  runner.own(data);
  const run = (binary: string, args: readonly string[]): void => {
    const [file = "", ...prefixed] = [...runner.prefix, binary, ...args];
    execFileSync(file, prefixed, { cwd: "/", stdio: "pipe" });
  };
  if (from === null) {
    const flags = ["-A", "trust", "-U", "postgres", "--no-sync", "--locale=C", "-E", "UTF8"];
    run(initdb, ["-D", data, ...flags]);
  } else {
    const source = `host=127.0.0.1 port=${from.port} user=postgres application_name=standby`;
    const copy = ["-D", data, "-d", source, "-R", "-X", "stream", "-c", "fast"];
    run(join(dirname(initdb), "pg_basebackup"), copy);
  }
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const server = createServer({
    ...{ name: "postgres-pair", folder, stopSignal: "SIGINT" },
    command: [
      ...[...runner.prefix, postgres, "-D", data, "-p", String(port)],
      ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
    ],
    ping: () => queryOnce(url, "SELECT 1"),
  });
  writeFileSync(join(data, "pg_hba.conf"), "host all,replication postgres 127.0.0.1/32 trust\n");
  await server.start();
  return { ...server, url, port };
};

/** `isSynchronous`: a commit is acknowledged once the standby has it on its disk. */
export const startPostgresPair = async (isSynchronous: boolean): Promise<PostgresPair> => {
  let primary = await startNode(null);
  let standby = await startNode(primary);
  const proxy = await startTcpProxy(primary.url);

  const wait = async (): Promise<void> => {
    const names = isSynchronous ? "standby" : "";
    await queryOnce(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await queryOnce(primary.url, "SELECT pg_reload_conf()");
    const state = isSynchronous ? "sync" : "async";
    const found = `FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${state}'`;
    await waitUntil(primary.url, `EXISTS (SELECT ${found})`);
  };
  await wait();

  const failOver = async (): Promise<void> => {
    await primary.kill();
    await queryOnce(standby.url, "SELECT pg_promote(true, 60)");
    await waitUntil(standby.url, "NOT pg_is_in_recovery()");
    const old = primary;
    primary = standby;
    // Until there is a standby again, it waits for none.
    await queryOnce(primary.url, "ALTER SYSTEM RESET synchronous_standby_names");
    await queryOnce(primary.url, "SELECT pg_reload_conf()");
    proxy.retarget(primary.url);
    await old.close();
    standby = await startNode(primary);
    await wait();
  };
  const control = (): Node => primary;
  return {
    ...postgresDatabases(proxy.url),
    server: {
      start: () => control().start(),
      stop: () => control().stop(),
      restart: () => control().restart(),
      kill: () => control().kill(),
      pause: () => control().pause(),
      resume: () => control().resume(),
      pids: () => control().pids(),
      backUp: () => control().backUp(),
      close: () => control().close(),
      get logPath() {
        return control().logPath;
      },
    },
    detach: async () => {
      await waitUntil(primary.url, await caughtUp(primary.url));
      await queryOnce(standby.url, "ALTER SYSTEM SET primary_conninfo = ''");
      await queryOnce(standby.url, "SELECT pg_reload_conf()");
      await waitUntil(standby.url, "NOT EXISTS (SELECT FROM pg_stat_wal_receiver)");
    },
    failOver,
    close: async () => {
      await proxy.close();
      await standby.close();
      await primary.close();
    },
  };
};
