// Injects a run's faults at their times. Those of servers and wires one after the other, those of processes beside them.
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../checker/history.ts";
import type { StoreName } from "../stores/store.ts";
import type { Processes } from "./processes.ts";
import { isOfProcess, type PlannedFault, stopsAll } from "./fault-plan.ts";
import { inject, type Target } from "./inject.ts";
import type { Services } from "./services.ts";

export interface Surroundings {
  readonly store: StoreName;
  readonly services: Services;
  readonly processes: Processes;
  readonly now: () => number;
}

export const injectFaults = async (
  { store, services, processes, now }: Surroundings,
  planned: readonly PlannedFault[],
): Promise<readonly Fault[]> => {
  const beganAt = now();
  const faults: Fault[] = [];
  const beside: Promise<void>[] = [];
  for (const fault of planned) {
    await sleep(Math.max(0, beganAt + fault.atMs - now()));
    const victim = processes.pick(fault.victim);
    if (victim === undefined) continue;
    const from = now();
    const { kind } = fault;
    const target: Target = {
      ...{ services, victim, children: processes.all },
      replace: async (dead) => void (await processes.start(dead.config.role)),
    };
    const done = inject(target, fault).then(() => {
      const process = isOfProcess(kind) ? victim.config.name : null;
      faults.push({ kind, process, from, until: now(), stopsAll: stopsAll(kind, store) });
    });
    if (isOfProcess(kind)) beside.push(done);
    else await done;
  }
  await Promise.all(beside);
  return faults;
};
