// One node of a Patroni cluster: Patroni, its PostgreSQL, and the wire on which the other node receives from it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findBinary, findOrInstall } from "./install/binary.ts";
import { type PatroniNodeOptions, settingsFor } from "./patroni-settings.ts";
import { systemBinaries } from "./postgres.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { childrenOf, isAlive, signal } from "./process/process-tree.ts";
import { createServer, type ServerControl } from "./process/server.ts";
import { unprivileged } from "./process/unprivileged.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

export type PatroniNode = {
  /** Of its PostgreSQL. */
  readonly url: string;
  readonly start: () => Promise<void>;
  /** In order: Patroni stops PostgreSQL and gives the leader key back. */
  readonly stop: () => Promise<void>;
  /** SIGKILL of everything on the node, as when its host is lost. */
  readonly kill: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly pids: () => readonly number[];
  /** The other node receives nothing more from this one, and is not told. `connect` undoes it. */
  readonly disconnect: () => void;
  readonly connect: () => Promise<void>;
  /** Whether Patroni answers that the node has the role now: it asks etcd for it. */
  readonly is: (role: "primary" | "replica" | "synchronous") => Promise<boolean>;
  readonly close: () => Promise<void>;
  readonly logPath: string;
};

const answerTimeoutMs = 2_000;
const goneWithinMs = 10_000;

const debian = { binary: "/usr/bin/patroni", client: "/usr/lib/python3/dist-packages/etcd" };

/** Debian's has the client of etcd in a package of its own, which is only recommended. */
const findPatroni = (): string | undefined => {
  const binary = findBinary("patroni");
  return binary === debian.binary && !existsSync(debian.client) ? undefined : binary;
};

const patroniBinary = (): string => {
  const binary = findOrInstall(findPatroni, ["patroni", "python3-etcd"]);
  if (binary === undefined)
    throw new Error("Patroni is missing: apt-get install -y patroni python3-etcd etcd-server");
  return binary;
};

const postmasterOf = (data: string): number | undefined => {
  const path = join(data, "postmaster.pid");
  if (!existsSync(path)) return undefined;
  const pid = Number(readFileSync(path, "utf8").split("\n")[0]);
  // After a kill the file stays, and another program may have the number.
  const isOurs = existsSync(`/proc/${pid}`)
    ? readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data)
    : false;
  return isOurs ? pid : undefined;
};

/** Of the PostgreSQL of a node, which is no child of Patroni. */
const postgresProcesses = (data: string) => {
  const pids = (): readonly number[] => {
    const pid = postmasterOf(data);
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  };
  return {
    pids,
    send: (name: NodeJS.Signals): void => {
      for (const pid of pids()) signal(pid, name);
    },
  };
};

const askFor =
  (restPort: number): PatroniNode["is"] =>
  async (role) => {
    const answer = await fetch(`http://127.0.0.1:${restPort}/${role}`, {
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    await answer.body?.cancel();
    return answer.status === 200;
  };

const control = (server: ServerControl, data: string) => {
  const { pids, send } = postgresProcesses(data);
  /** Patroni first: it would start PostgreSQL again. */
  const end = async (endPatroni: () => Promise<void>): Promise<void> => {
    try {
      await endPatroni();
    } finally {
      const left = pids();
      for (const pid of left) signal(pid, "SIGKILL");
      const deadline = Date.now() + goneWithinMs;
      while (left.some(isAlive) && Date.now() < deadline) await sleep(20);
    }
  };
  return {
    ...{ start: server.start, logPath: server.logPath },
    stop: () => end(server.stop),
    kill: () => end(server.kill),
    pause: (): void => {
      server.pause();
      send("SIGSTOP");
    },
    resume: (): void => {
      send("SIGCONT");
      server.resume();
    },
    pids: (): readonly number[] => [...server.pids(), ...pids()],
  };
};

export const startPatroniNode = async (options: PatroniNodeOptions): Promise<PatroniNode> => {
  const binary = patroniBinary();
  const { postgres } = await systemBinaries();
  const runner = unprivileged(binary);
  const [port, restPort] = [await freePort(), await freePort()];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const wire = await startTcpProxy(url);
  // Each of the two has a folder, whose watcher ends it.
  const postgresFolder = createFolder("patroni-postgres", "SIGQUIT");
  const folder = createFolder("patroni", "SIGKILL");
  const inside = folder.createInside("settings");
  const data = join(postgresFolder.path, "data");
  const settings = join(inside, "patroni.yml");
  const text = settingsFor(options, {
    ports: { postgres: port, wire: wire.port, rest: restPort },
    ...{ data, binDir: dirname(postgres) },
    ...{ pidPath: postgresFolder.pidPath, passPath: join(inside, "pgpass") },
  });
  writeFileSync(settings, text);
  runner.own(inside);
  runner.own(postgresFolder.path);
  const is = askFor(restPort);
  const server = createServer({
    ...{ name: "patroni", folder, stopSignal: "SIGTERM" },
    command: [...runner.prefix, binary, settings],
    ping: () => is("primary"),
  });
  await server.start();
  const own = control(server, data);
  return {
    ...{ url, is, ...own },
    disconnect: () => wire.halfOpen(),
    connect: () => wire.heal(),
    close: async () => {
      // One that was killed before is not running.
      await own.kill().catch(() => undefined);
      await wire.close();
      folder.remove();
      postgresFolder.remove();
    },
  };
};
