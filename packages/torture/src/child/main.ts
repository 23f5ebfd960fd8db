// One process of a run. It starts sequences or works on them until it is stopped or killed. It
// records its calls and their results line by line in a file of its own.
import { openTimers, setUncountedTimeout } from "./counted-timers.ts";
import { skewClock } from "./skewed-date.ts";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Order, ChildConfig, Report } from "./protocol.ts";
import type { HistoryEntry } from "../checker/history.ts";
import { createRandom } from "../random.ts";
import { Controls } from "../load/controls.ts";
import { Starter } from "../load/starter.ts";
import { startLoadWorker } from "../load/start-load-worker.ts";
import { openLoad } from "./open-load.ts";
import { leaseMs, pollIntervalMs, timeoutMs } from "./protocol.ts";

// The conductor's JSON.
const config = JSON.parse(process.argv[2] ?? "") as ChildConfig;
const { name, role, seed, logPath, concurrency, pauseMs } = config;

const now = (): number => Number(process.hrtime.bigint()) / 1e6 + config.epochOffsetMs;
const append = (line: object): void => appendFileSync(logPath, `${JSON.stringify(line)}\n`);
const note = (entry: HistoryEntry): void => append(entry);
const report = (said: Report["said"]): void => void process.send?.({ said });
const onError = (doing: string, error: unknown): void => {
  append({ kind: "error", at: now(), doing, error: String(error) });
};
// A worker for which this is true has crashed. The conductor decides.
process.on("unhandledRejection", (error) => {
  onError("unhandled rejection", error instanceof Error ? error.stack : error);
  process.exit(70);
});

/** The signals that the process listens to, except those of its conductor. */
const listening = (): number =>
  process
    .eventNames()
    .filter((name) => !/message|disconnect/i.test(String(name)))
    .reduce((sum, name) => sum + process.listenerCount(name), 0);

const listeningBefore = listening();
let isEnding = false;

const random = createRandom(seed);
let isRepaired = false;
const load = await openLoad(config, { now, note, onError, isRepaired: () => isRepaired, random });
const { surroundings } = load;
if (role === "worker") {
  await startLoadWorker(surroundings, {
    leaseMs,
    timeoutMs,
    pollIntervalMs,
    concurrency,
    retentionMs: config.retentionMs,
  });
}

const starts = { areWanted: role === "starter" };
const startMany = async (): Promise<void> => {
  const starter = new Starter(surroundings);
  const controls = new Controls(surroundings, random);
  const pending = new Set<Promise<void>>();
  for (let index = 0; starts.areWanted; index++) {
    const step = starter.step(`${name}-${index}`, random).finally(() => pending.delete(step));
    pending.add(step);
    if (random.chance(0.3)) {
      const control = controls.step().finally(() => pending.delete(control));
      pending.add(control);
    }
    // Some at once, so that there is a backlog.
    if (index % 10 < 5) await sleep(random.below(pauseMs));
    if (pending.size > 20) await Promise.race(pending);
  }
  await Promise.all(pending);
};
const starting = startMany();

const leaked = (what: string): void => note({ kind: "leaked", at: now(), process: name, what });

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => void setUncountedTimeout(resolve, ms));

const close = async (): Promise<void> => {
  starts.areWanted = false;
  await starting;
  await load.close();
  // Drivers take a moment to see their sockets close.
  for (let look = 0; look < 20 && openTimers().length > 0; look++) await pause(50);
  const timers = openTimers();
  if (timers.length > 0) leaked(`timers set at ${timers.join("; ")}`);
  if (listening() > listeningBefore) leaked(`${listening() - listeningBefore} process listeners`);
  // It stays until the conductor has counted its remaining connections.
  report("closed");
};

const end = (): void => {
  isEnding = true;
  process.disconnect();
  // From here on nothing may keep this process alive but the leak that is looked for. On a busy machine it may not run for
  // seconds. So many turns of the event loop must pass, and not a time alone.
  const look = (left: number): void => {
    setUncountedTimeout(() => {
      if (left > 0) return look(left - 1);
      leaked(process.getActiveResourcesInfo().join(", "));
      process.exit(0);
    }, 50).unref();
  };
  look(60);
};

const obey = async (order: Order): Promise<void> => {
  switch (order.do) {
    case "block":
      // Stands still without using the processor, which all share.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.ms);
      return;
    case "skew":
      return skewClock(order.ms);
    case "flaky":
      return load.setFlaky(order.rate);
    case "late":
      return load.setLate(order.ms);
    case "exhaust":
      // The server may be gone at the same time.
      return load.exhaust(order.ms).catch((error: unknown) => onError("exhaust", error));
    case "lossy":
      return load.setLossy(order.rate);
    case "repair":
      isRepaired = true;
      return;
    case "stopStarting":
      starts.areWanted = false;
      await starting;
      return report("stoppedStarting");
    case "close":
      return close();
    case "end":
      return end();
  }
};
process.on("message", (order) => void obey(order as Order));
// The conductor is gone: so is the run.
process.on("disconnect", () => {
  if (!isEnding) process.exit(1);
});
report("ready");
