// The commands of a measured process.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { loadParticipant } from "../participants/index.ts";
import {
  type Inspector,
  nowMs,
  type Opened,
  type Participant,
  payloadOf,
  type Target,
  usePayloadBytes,
  type Workload,
} from "../participants/participant.ts";
import { countSqliteStatements, statementCount } from "../participants/statement-count.ts";
import type { CommandAnswer, CommandName, CommandOptions } from "./protocol.ts";

type AsyncCommands = {
  readonly [TName in CommandName]: (
    options: CommandOptions<TName>,
  ) => Promise<CommandAnswer<TName>>;
};

interface Session {
  readonly participant: Participant;
  readonly target: Target;
  readonly opened: Opened;
}

/** The state that the commands of one process share. */
interface State {
  readonly session: () => Session;
  readonly open: (session: Session) => void;
  readonly inspect: () => Promise<Inspector>;
  readonly close: () => Promise<void>;
  readonly onRun: (at: number) => void;
  /** How long each job had waited that has run since the last time. */
  readonly takeLatencies: () => readonly number[];
}

const progressEveryMs = 20;

export const createCommands = (onProgress: (ran: number) => void): AsyncCommands => {
  const state = createState(onProgress);
  return { ...sessionCommands(state), ...workCommands(state), ...measuringCommands(state) };
};

const createState = (onProgress: (ran: number) => void): State => {
  let session: Session | undefined;
  let inspector: Inspector | undefined;
  const latencies: number[] = [];
  let ran = 0;
  let said = 0;
  setInterval(() => {
    if (ran === said) return;
    said = ran;
    onProgress(ran);
  }, progressEveryMs).unref();

  const current = (): Session => {
    if (session === undefined) throw new Error("No participant is open");
    return session;
  };
  return {
    session: current,
    open: (opened) => {
      session = opened;
    },
    inspect: async () => {
      const { participant, target } = current();
      return (inspector ??= await participant.inspect(target));
    },
    close: async () => {
      await inspector?.close();
      await session?.opened.close();
    },
    onRun: (at) => {
      latencies.push(nowMs() - at);
      ran += 1;
    },
    takeLatencies: () => latencies.splice(0),
  };
};

type SessionCommand = "open" | "close" | "unfinishedCount" | "drainedAt";

const sessionCommands = (state: State): Pick<AsyncCommands, SessionCommand> => ({
  open: async ({ participant: name, target, prepare, payloadBytes }) => {
    if (payloadBytes !== undefined) usePayloadBytes(payloadBytes);
    const participant = await loadParticipant(name);
    if (prepare) await participant.prepare(target);
    state.open({ participant, target, opened: await participant.open(target) });
  },
  unfinishedCount: async () => (await state.inspect()).unfinishedCount(),
  drainedAt: async () => (await state.inspect()).drainedAt(),
  close: () => state.close(),
});

type WorkCommand =
  "startMany" | "startSingly" | "startBulk" | "startPaced" | "storeSchedules" | "work" | "stopWork";

const workCommands = ({ session, onRun }: State): Pick<AsyncCommands, WorkCommand> => {
  let stops: (() => Promise<void>)[] = [];
  return {
    startMany: ({ workload, unitCount, atOnce }) =>
      startMany(session().opened, workload, unitCount, atOnce),
    startSingly: ({ count, callers, inTransaction }) => {
      const { startOne, startInTransaction } = session().opened;
      const start = inTransaction === true ? startInTransaction : startOne;
      if (start === undefined) throw new Error("it starts no job in a transaction of the user");
      return startSingly(start, count, callers);
    },
    startBulk: async ({ count, atOnce }) => {
      const begunAt = nowMs();
      await startMany(session().opened, "value", count, atOnce);
      return nowMs() - begunAt;
    },
    startPaced: (rhythm) => startPaced(session().opened, rhythm),
    storeSchedules: async (schedules) => {
      const store = session().opened.storeSchedules;
      if (store === undefined) throw new Error("it has no schedules");
      await store(schedules);
    },
    work: async ({ workerCount, ...options }) => {
      const { opened } = session();
      stops = await Promise.all(
        Array.from({ length: workerCount }, () => opened.work({ ...options, onRun })),
      );
    },
    stopWork: async () => {
      await Promise.all(stops.map((stop) => stop()));
      stops = [];
    },
  };
};

type MeasuringCommand =
  "takeRuns" | "resetMetrics" | "metrics" | "countStatements" | "statementCount";

const measuringCommands = (state: State): Pick<AsyncCommands, MeasuringCommand> => {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  let cpu = process.cpuUsage();
  return {
    takeRuns: async () => ({ latencies: state.takeLatencies() }),
    resetMetrics: async () => {
      lag.reset();
      lag.enable();
      cpu = process.cpuUsage();
    },
    metrics: async () => {
      lag.disable();
      const { user, system } = process.cpuUsage(cpu);
      return {
        cpuMs: (user + system) / 1_000,
        lagMeanMs: lagMs(lag.mean),
        lagMaxMs: lagMs(lag.max),
        rssMb: process.memoryUsage.rss() / bytesPerMb,
        peakRssMb: peakRssKb() / 1_024,
      };
    },
    countStatements: async () => {
      if (state.session().participant.store !== "sqlite") return;
      const { SqliteDriver } = await import("../participants/sqlite-file.ts");
      countSqliteStatements(SqliteDriver);
    },
    statementCount: async () => statementCount(),
  };
};

const bytesPerMb = 1_048_576;

/** Linux counts the parent's memory before `exec` in the peak of `getrusage`; `VmHWM` begins anew with the program. */
const peakRssKb = (): number => {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    if (peak !== undefined) return Number(peak);
  } catch {
    // no such file: another system
  }
  return process.resourceUsage().maxRSS;
};

/** The histogram counts the timer's own millisecond too, and says NaN when it has seen nothing. */
const lagMs = (ns: number): number => Math.max(0, (ns || 0) / 1e6 - 1);

const startMany = async (
  opened: Opened,
  workload: Workload,
  unitCount: number,
  atOnce: number,
): Promise<void> => {
  for (let done = 0; done < unitCount; done += atOnce) {
    await opened.startMany(workload, Math.min(atOnce, unitCount - done));
  }
};

/** So many callers, each of which starts its next job when its last is stored. */
const startSingly = async (
  start: Opened["startOne"],
  count: number,
  callers: number,
): Promise<number> => {
  let left = count;
  const begunAt = nowMs();
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await start(payloadOf(0));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return nowMs() - begunAt;
};

interface Rhythm {
  readonly count: number;
  readonly everyMs: number;
  readonly limitMs: number;
}

/** Starts at its times, whether the starts before have answered or not; answers how many there were time for. */
const startPaced = async (opened: Opened, { count, everyMs, limitMs }: Rhythm): Promise<number> => {
  const begunAt = nowMs();
  // Only those without an answer: a soak has a million starts.
  const pending = new Set<Promise<void>>();
  const errors: unknown[] = [];
  let started = 0;
  while (started < count && errors.length === 0 && nowMs() - begunAt < limitMs) {
    // A timer takes a millisecond at least: starts whose time has come go out together.
    const waitMs = begunAt + started * everyMs - nowMs();
    if (waitMs > 0) await sleep(waitMs);
    const one: Promise<void> = opened.startOne(payloadOf(nowMs())).then(
      () => void pending.delete(one),
      (error: unknown) => void errors.push(error),
    );
    pending.add(one);
    started += 1;
  }
  await Promise.all(pending);
  if (errors.length > 0) throw errors[0];
  return started;
};
