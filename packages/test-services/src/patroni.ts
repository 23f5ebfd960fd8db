// Two PostgreSQL under Patroni, which keeps its leader in etcd. A proxy leads clients to the node that is the leader: it asks both,
// as a load balancer does.
import pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { type EtcdService, startEtcd } from "./etcd.ts";
import { type PatroniNode, startPatroniNode } from "./patroni-node.ts";
import { postgresDatabases, type PostgresDatabases } from "./postgres-server.ts";
import type { ServerControl } from "./process/server.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

export type PatroniCluster = PostgresDatabases & {
  /** The node that is the leader at the moment of the call. One that was killed or paused is also the one that comes back. */
  readonly server: ServerControl;
  readonly etcd: EtcdService;
  /** From now on the standby receives nothing, until `failOver`. */
  readonly disconnect: () => void;
  /** The leader's node is killed, and Patroni promotes the standby. The old leader comes back as the standby. */
  readonly failOver: () => Promise<void>;
  /** Resolves when there is a leader, and a standby that receives from it. A synchronous one is known as such. */
  readonly waitUntilWhole: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const wholeWithinMs = 180_000;
const pollMs = 100;

const eventually = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  let lastError: unknown;
  for (const deadline = Date.now() + wholeWithinMs; Date.now() < deadline; await sleep(pollMs)) {
    try {
      if (await holds()) return;
    } catch (error) {
      lastError = error;
    }
  }
  throw new Error(`The Patroni cluster has no ${what}`, { cause: lastError });
};

const isReceiving = async (url: string, isSynchronous: boolean): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    const state = isSynchronous ? "sync" : "async";
    const { rowCount } = await client.query(
      `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${state}'`,
    );
    return rowCount === 1;
  } finally {
    await client.end();
  }
};

/** A node that is down is simply not the leader. */
const leaderOf = async (nodes: readonly PatroniNode[]): Promise<PatroniNode | undefined> => {
  const answers = await Promise.all(nodes.map((node) => node.is("primary").catch(() => false)));
  return nodes[answers.indexOf(true)];
};

/** Asks until it is stopped, and tells each new leader. */
const watchLeader = (
  nodes: readonly PatroniNode[],
  onLeader: (leader: PatroniNode) => void,
): (() => Promise<void>) => {
  const over = new AbortController();
  let current: PatroniNode | undefined;
  const watch = async (): Promise<void> => {
    for (; !over.signal.aborted; await sleep(pollMs)) {
      const leader = await leaderOf(nodes);
      if (leader === undefined || leader === current) continue;
      current = leader;
      onLeader(leader);
    }
  };
  const done = watch();
  return async () => {
    over.abort();
    await done;
  };
};

const createControl = (
  leader: () => PatroniNode,
  waitUntilWhole: () => Promise<void>,
): ServerControl => {
  let harmed: PatroniNode | undefined;
  const harm = (): PatroniNode => (harmed = leader());
  const start = async (): Promise<void> => {
    await harmed?.start();
    await waitUntilWhole();
  };
  return {
    start,
    stop: () => harm().stop(),
    restart: async () => {
      await harm().stop();
      await start();
    },
    kill: () => harm().kill(),
    pause: () => harm().pause(),
    resume: () => harmed?.resume(),
    pids: () => leader().pids(),
    backUp: () =>
      Promise.reject(new Error("Patroni has two copies: neither is brought back alone")),
    close: () => Promise.resolve(),
    get logPath() {
      return leader().logPath;
    },
  };
};

/** `isSynchronous`: a commit is acknowledged once the standby has it on its disk. */
export const startPatroni = async (isSynchronous: boolean): Promise<PatroniCluster> => {
  const etcd = await startEtcd();
  const common = { etcdPort: etcd.port, isSynchronous };
  // The word "first" would have a meaning in a list of standbys.
  const first = await startPatroniNode({ ...common, name: "node1" });
  // The other one copies its data.
  await eventually("leader", () => first.is("primary"));
  const second = await startPatroniNode({ ...common, name: "node2" });
  const nodes = [first, second];
  let leader = first;
  const proxy = await startTcpProxy(first.url);
  const stopWatching = watchLeader(nodes, (next) => {
    leader = next;
    proxy.retarget(next.url);
  });
  const isWhole = async (): Promise<boolean> => {
    const [standby] = nodes.filter((node) => node !== leader);
    if (standby === undefined || !(await leader.is("primary"))) return false;
    if (!(await standby.is(isSynchronous ? "synchronous" : "replica"))) return false;
    return isReceiving(leader.url, isSynchronous);
  };
  const waitUntilWhole = (): Promise<void> => eventually("leader with a standby", isWhole);
  await waitUntilWhole();
  return {
    ...postgresDatabases(proxy.url),
    ...{ etcd, waitUntilWhole, server: createControl(() => leader, waitUntilWhole) },
    disconnect: () => leader.disconnect(),
    failOver: async () => {
      const old = leader;
      await old.kill();
      await old.connect();
      await eventually("other leader", () => Promise.resolve(leader !== old));
      await old.start();
      await waitUntilWhole();
    },
    close: async () => {
      await stopWatching();
      await proxy.close();
      for (const node of nodes) await node.close();
      await etcd.close();
    },
  };
};
