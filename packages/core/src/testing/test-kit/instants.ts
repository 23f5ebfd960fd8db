// Every instant that the contract shows of a store, before and after a shift.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { TimeTravel } from "../../adapters/time-travel.ts";
import type { TestQueuert } from "../../test-kit/test-queuert.ts";
import type { KitDefinitions } from "./test-kit-jobs.ts";

interface Moved {
  /** The paths of instants that did not move by the time of the shift. */
  readonly notMoved: readonly string[];
  /** The tables in which an instant was seen. */
  readonly kinds: readonly string[];
}

const hourMs = 3_600_000;

/** Fills the store, moves it, and compares. `ms` is the distance of the ticks: none may be in the way of another. */
export const movedInstants = async (
  test: TestQueuert<KitDefinitions, AnyStateAdapter>,
  { stateAdapter, timeTravel }: Store,
  ms: number,
): Promise<Moved> => {
  await fill(test, stateAdapter);
  const before = await instantsOf(stateAdapter);
  await timeTravel.shiftTimes(ms);
  const after = await instantsOf(stateAdapter);
  const notMoved = [...before].filter(([path, time]) => after.get(path) !== time - ms);
  const kinds = [...new Set([...before.keys()].map((path) => path.split(".")[0] ?? ""))];
  return { notMoved: notMoved.map(([path]) => path), kinds: kinds.sort() };
};

interface Store {
  readonly stateAdapter: AnyStateAdapter;
  readonly timeTravel: TimeTravel;
}

const fill = async (
  { queuert, drain, crash }: TestQueuert<KitDefinitions, AnyStateAdapter>,
  stateAdapter: AnyStateAdapter,
): Promise<void> => {
  crash({ typeName: "remind" });
  await queuert.startJobSequence({ autocommit: true, typeName: "flaky", input: null });
  await queuert.startJobSequence({ autocommit: true, typeName: "remind", input: { to: "ada" } });
  await drain({ throwErrors: false });
  await queuert.pause({ jobTypes: ["ship"], forMs: 72 * hourMs });
  await stateAdapter.runInTransaction(async (context) => {
    const at = Date.UTC(2020, 0, 1);
    const ticks = [0, 1, 2, 3].map((index) => ({
      scheduleName: "report",
      tickAt: new Date(at + index * hourMs),
      kind: "scheduled" as const,
      outcome: "started" as const,
      sequenceId: null,
      firedAt: new Date(at + index * hourMs),
    }));
    await stateAdapter.lockSchedules({ context, names: ["report"] });
    await stateAdapter.recordTicks({ context, ticks });
  });
  await stateAdapter.operator?.beat?.({
    process: { host: "here", pid: 1, machine: null, processStart: null },
    workers: [
      {
        ...{ instanceId: "a", workerId: "gone", state: "stopped", types: [] },
        ...{ concurrency: 1, busy: 0, beatMs: 30_000, libraryVersion: null },
      },
    ],
    forgetAfterMs: 24 * hourMs,
  });
};

const all = { sequenceId: null, rootSequenceId: null, createdFrom: null, createdTo: null } as const;
const page = { order: "asc", limit: 1_000 } as const;

const instantsOf = async (adapter: AnyStateAdapter): Promise<ReadonlyMap<string, number>> => {
  const none = { typeNames: null, statuses: null, afterOrdinal: null };
  const jobs = await adapter.listJobs({ ...all, ...page, ...none });
  const jobIds = jobs.map(({ id }) => id);
  const range = { from: null, to: null, after: null };
  const names = { names: null, isDeclared: null, afterName: null };
  const instants = new Map<string, number>();
  collect(instants, "", {
    jobs,
    attempts: await adapter.operator?.listAttempts?.({ jobIds }),
    schedules: await adapter.listSchedules({ ...names, limit: 1_000 }),
    ticks: await adapter.listScheduleTicks({ scheduleName: "report", ...range, ...page }),
    pauses: await adapter.getPauses(),
    workers: await adapter.operator?.listWorkers?.(),
  });
  return instants;
};

const collect = (instants: Map<string, number>, path: string, value: unknown): void => {
  if (value instanceof Date) instants.set(path, value.getTime());
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      collect(instants, path === "" ? key : `${path}.${key}`, member);
    }
  }
};
