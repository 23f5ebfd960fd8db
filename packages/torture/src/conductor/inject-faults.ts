// Injects a run's faults at their times. Those of servers and wires one after the other, those of processes beside them.
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, HistoryEntry } from "../checker/history.ts";
import type { NotifyName } from "../notify/transport.ts";
import type { OpenStore, StoreName } from "../stores/store.ts";
import type { Processes } from "./processes.ts";
import { isOfProcess, type PlannedFault, stopsAll } from "./fault-plan.ts";
import { inject, type Target } from "./inject.ts";
import type { Rewind } from "./forget.ts";
import type { Services } from "./services/services.ts";

export interface Surroundings {
  readonly store: StoreName;
  readonly notify: NotifyName;
  readonly open: OpenStore;
  readonly services: Services;
  readonly processes: Processes;
  readonly now: () => number;
  readonly note: (entry: HistoryEntry) => void;
}

export interface Injected {
  readonly faults: readonly Fault[];
  readonly rewinds: readonly Rewind[];
}

export const injectFaults = async (
  { store, notify, open, services, processes, now, note }: Surroundings,
  planned: readonly PlannedFault[],
  onRewind: (rewind: Rewind) => void,
): Promise<Injected> => {
  const beganAt = now();
  const faults: Fault[] = [];
  const rewinds: Rewind[] = [];
  const beside: Promise<void>[] = [];
  for (const fault of planned) {
    await sleep(Math.max(0, beganAt + fault.atMs - now()));
    const victim = processes.pick(fault.victim);
    if (victim === undefined) continue;
    const from = now();
    const { kind } = fault;
    const target: Target = {
      ...{ services, store: open, notify, victim, children: processes.all, note, now },
      replace: async ({ config: { role, nextVersion } }, version = nextVersion) =>
        void (await processes.start(role, version)),
    };
    const done = inject(target, fault).then((rewind) => {
      if (rewind !== undefined) {
        rewinds.push(rewind);
        onRewind(rewind);
      }
      const process = isOfProcess(kind) ? victim.config.name : null;
      faults.push({ kind, process, from, until: now(), stopsAll: stopsAll(kind, store) });
    });
    if (isOfProcess(kind)) beside.push(done);
    else await done;
  }
  await Promise.all(beside);
  return { faults, rewinds };
};
