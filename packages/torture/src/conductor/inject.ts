// How each fault is done, and undone. Resolves when its effect is over.
import { setTimeout as sleep } from "node:timers/promises";
import type { TcpProxy } from "@queuert/test-services";
import type { HistoryEntry } from "../checker/history.ts";
import { treeTypeNames } from "../load/control-types.ts";
import { listAllJobs } from "../load/list-all-jobs.ts";
import { flood } from "../notify/forge.ts";
import type { NotifyName } from "../notify/transport.ts";
import { createRandom } from "../random.ts";
import { loadStore } from "../stores/index.ts";
import type { MaintenanceKind, OpenStore } from "../stores/store.ts";
import type { Child } from "./child.ts";
import type { FaultKind, PlannedFault } from "./fault-plan.ts";
import type { Rewind } from "./forget.ts";
import { startPayloads } from "./start-payloads.ts";
import type { Reached, Services } from "./services/services.ts";

export interface Target {
  readonly services: Services;
  /** The conductor's own way to the store. */
  readonly store: OpenStore;
  readonly notify: NotifyName;
  readonly victim: Child;
  readonly children: readonly Child[];
  /** Puts another process in the place of one that is dead. `nextVersion`: by default that of the dead one. */
  readonly replace: (dead: Child, nextVersion?: string | null) => Promise<void>;
  readonly note: (entry: HistoryEntry) => void;
  readonly now: () => number;
}

type Inject = (target: Target, fault: PlannedFault) => Promise<void>;

const storeOf = ({ services }: Target): Reached => {
  if (services.store === null) throw new Error("This store has no server to break");
  return services.store;
};

const wireOf = ({ proxy }: Reached): TcpProxy => {
  if (proxy === null) throw new Error("No proxy is on this wire");
  return proxy;
};

const notifyOf = ({ services }: Target): Reached => {
  if (services.notify === null) throw new Error("Nothing notifies here");
  return services.notify;
};

const tellAll = async (
  { children }: Target,
  kind: "flaky" | "lossy",
  rate: number,
  ms: number,
): Promise<void> => {
  for (const child of children) child.tell({ do: kind, rate });
  await sleep(ms);
  for (const child of children) child.tell({ do: kind, rate: 0 });
};

const maintain =
  (kind: MaintenanceKind): Inject =>
  async ({ services, store }, { durationMs }) => {
    const { maintenance } = await loadStore(services.storeName);
    try {
      await maintenance?.[kind](services.directStoreUrl, durationMs);
    } catch (error) {
      // A primary that loses its place ends the statements of operators, too.
      const isOver = store.state.capabilities.isTransientError?.(error) === true;
      if (!isOver || services.own.failOver === undefined) throw error;
    }
  };

/** Messages with the ids of jobs that run. */
const forge: Inject = async ({ services, store, notify }, { durationMs, victim }) => {
  const running = await listAllJobs(store.state, treeTypeNames);
  const jobIds = running.filter(({ status }) => status === "running").map(({ id }) => id);
  const storeId = await store.state.getStoreId();
  const until = performance.now() + durationMs;
  const isOver = (): boolean => performance.now() > until;
  const { directNotifyUrl: url } = services;
  await flood({ notify, url, storeId }, { isOver, jobIds, random: createRandom(victim) });
};

/** Those that are done in one way on all servers. */
const injections: Readonly<Partial<Record<FaultKind, Inject>>> = {
  kill: async ({ victim, replace }) => {
    await victim.kill();
    await replace(victim);
  },
  // To the other version, forward or back.
  deploy: async ({ victim, replace, services }) => {
    await victim.close();
    await victim.end();
    await replace(victim, victim.config.nextVersion === null ? services.nextVersion : null);
  },
  freeze: ({ victim }, { durationMs }) => victim.freeze(durationMs),
  block: async ({ victim }, { durationMs }) => {
    victim.tell({ do: "block", ms: durationMs });
    await sleep(durationMs);
  },
  skew: async ({ victim }, { amount }) => victim.tell({ do: "skew", ms: amount }),
  flaky: (target, { durationMs }) => tellAll(target, "flaky", 0.1, durationMs),
  late: async ({ children }, { durationMs, amount }) => {
    for (const child of children) child.tell({ do: "late", ms: amount });
    await sleep(durationMs);
    for (const child of children) child.tell({ do: "late", ms: 0 });
    // The bytes that were in transit then.
    await sleep(amount);
  },
  exhaust: async ({ victim }, { durationMs }) => {
    victim.tell({ do: "exhaust", ms: durationMs });
    await sleep(durationMs);
  },
  lossy: (target, { durationMs }) => tellAll(target, "lossy", 0.5, durationMs),
  restart: (target) => storeOf(target).server.restart(),
  crash: async (target, { durationMs }) => {
    const { server } = storeOf(target);
    await server.kill();
    await sleep(durationMs);
    await server.start();
  },
  pause: async (target, { durationMs }) => {
    const { server } = storeOf(target);
    server.pause();
    await sleep(durationMs);
    server.resume();
  },
  lockTables: maintain("lockTables"),
  vacuumFull: maintain("vacuumFull"),
  reindex: maintain("reindex"),
  flood: forge,
  payloads: (target, { victim }) => startPayloads(target, victim),
  cut: async (target) => wireOf(storeOf(target)).cutAll(),
  cutBytes: async (target, { durationMs, amount }) => {
    const proxy = wireOf(storeOf(target));
    proxy.cutAfterBytes(amount);
    await sleep(durationMs);
    await proxy.heal();
  },
  delay: async (target, { durationMs, amount }) => {
    const proxy = wireOf(storeOf(target));
    proxy.delay(amount);
    await sleep(durationMs);
    await proxy.heal();
  },
  halfOpen: async (target, { durationMs }) => {
    const proxy = wireOf(storeOf(target));
    proxy.halfOpen();
    await sleep(durationMs);
    await proxy.heal();
  },
  notifyDown: async (target, { durationMs }) => {
    const { server } = notifyOf(target);
    await server.kill();
    await sleep(durationMs);
    await server.start();
  },
  notifyCut: async (target, { durationMs }) => {
    const proxy = wireOf(notifyOf(target));
    proxy.halfOpen();
    await sleep(durationMs);
    await proxy.heal();
  },
};

/** Answers with the time that the store has forgotten by it. */
export const inject = async (target: Target, fault: PlannedFault): Promise<Rewind | void> => {
  const { kind, durationMs, amount } = fault;
  const own = target.services.own[kind];
  if (own !== undefined) return own(durationMs, amount);
  const any = injections[kind];
  if (any === undefined) throw new Error(`These servers cannot have the fault ${kind}`);
  return any(target, fault);
};
