// How each fault is done, and undone. Resolves when its effect is over.
import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./child.ts";
import type { FaultKind, PlannedFault } from "./fault-plan.ts";
import type { Reached, Services } from "./services.ts";

export interface Target {
  readonly services: Services;
  readonly victim: Child;
  readonly children: readonly Child[];
  /** Puts another worker in the place of one that is dead. */
  readonly replace: (dead: Child) => Promise<void>;
}

type Inject = (target: Target, fault: PlannedFault) => Promise<void>;

const storeOf = ({ services }: Target): Reached => {
  if (services.store === null) throw new Error("This store has no server to break");
  return services.store;
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

const injections: Readonly<Record<FaultKind, Inject>> = {
  kill: async ({ victim, replace }) => {
    await victim.kill();
    await replace(victim);
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
  stepDown: ({ services }) => services.stepDown(),
  cut: async (target) => storeOf(target).proxy.cutAll(),
  cutBytes: async (target, { durationMs, amount }) => {
    const { proxy } = storeOf(target);
    proxy.cutAfterBytes(amount);
    await sleep(durationMs);
    await proxy.heal();
  },
  delay: async (target, { durationMs, amount }) => {
    const { proxy } = storeOf(target);
    proxy.delay(amount);
    await sleep(durationMs);
    await proxy.heal();
  },
  halfOpen: async (target, { durationMs }) => {
    const { proxy } = storeOf(target);
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
    const { proxy } = notifyOf(target);
    proxy.halfOpen();
    await sleep(durationMs);
    await proxy.heal();
  },
};

export const inject: Inject = (target, fault) => injections[fault.kind](target, fault);
