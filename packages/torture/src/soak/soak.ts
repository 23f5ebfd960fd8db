// Hours of a steady load without faults. Samples of latency, memory, connections and the size of the store tell whether they grow.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startServices } from "../conductor/services/services.ts";
import type { NotifyName } from "../notify/transport.ts";
import { withClientName } from "../stores/client-name.ts";
import { loadStore } from "../stores/index.ts";
import type { OpenStore, StoreName } from "../stores/store.ts";
import { plotSoak } from "./plot.ts";
import { perHour, percentile, type Sample, type SoakSummary } from "./sample.ts";
import { SoakProcess } from "./soak-process.ts";

export interface SoakOptions {
  readonly store: StoreName;
  readonly notify: NotifyName;
  readonly hours: number;
  /** Sequences that are started in a second. */
  readonly perSecond: number;
  /** For the samples and the plot. */
  readonly folder: string;
}

const workerCount = 2;
/** So many samples in all, and not more often than every two seconds. */
const samplesMax = 300;
const drainMs = 60_000;

/** Completed jobs are deleted after a tenth of the time: then the size of the store should not grow any more. */
const retentionOf = (totalMs: number): number => Math.min(600_000, Math.round(totalMs / 10));

const sampleOnce = async (
  processes: readonly SoakProcess[],
  store: OpenStore,
  atMs: number,
): Promise<Sample> => {
  const measured = await Promise.all(processes.map((each) => each.measure()));
  const latencies = measured.flatMap((one) => one.latencies).toSorted((a, b) => a - b);
  const connected = await store.listConnected(processes.map((each) => each.named));
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  return {
    atMs,
    started: sum(measured.map((one) => one.started)),
    completed: sum(measured.map((one) => one.completed)),
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    heapBytes: sum(measured.map((one) => one.heapBytes)),
    residentBytes: sum(measured.map((one) => one.residentBytes)),
    connections: connected?.length ?? null,
    ...(await store.measure()),
  };
};

const summarize = (samples: readonly Sample[]): SoakSummary => {
  // The first third fills caches, and the store up to its retention.
  const settled = samples.slice(Math.floor(samples.length / 3));
  const slope = (of: (sample: Sample) => number): number => perHour(settled, of);
  const total = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, one) => sum + of(one), 0);
  return {
    minutes: (samples.at(-1)?.atMs ?? 0) / 60_000,
    started: total((one) => one.started),
    completed: total((one) => one.completed),
    heapBytesPerHour: slope((one) => one.heapBytes),
    storedBytesPerHour: slope((one) => one.storedBytes),
    p99: [settled[0]?.p99 ?? 0, settled.at(-1)?.p99 ?? 0],
  };
};

const conduct = async (
  { hours, folder, store: storeName, notify }: SoakOptions,
  processes: readonly SoakProcess[],
  store: OpenStore,
): Promise<SoakSummary> => {
  const totalMs = hours * 3_600_000;
  const everyMs = Math.max(2_000, totalMs / samplesMax);
  const lines = join(folder, `${storeName}.jsonl`);
  writeFileSync(lines, "");
  const beganAt = performance.now();
  const samples: Sample[] = [];
  const sample = async (): Promise<void> => {
    const one = await sampleOnce(processes, store, performance.now() - beganAt);
    samples.push(one);
    appendFileSync(lines, `${JSON.stringify(one)}\n`);
  };
  while (performance.now() - beganAt < totalMs) {
    await sleep(everyMs);
    await sample();
  }
  for (const each of processes) await each.stopStarting();
  const isDone = (): boolean => {
    const { started, completed } = summarize(samples);
    return started === completed;
  };
  for (const until = performance.now() + drainMs; performance.now() < until && !isDone();) {
    await sleep(2_000);
    await sample();
  }
  const title = `${storeName}, notify ${notify}`;
  writeFileSync(join(folder, `${storeName}.svg`), plotSoak(title, samples));
  return summarize(samples);
};

export const soak = async (options: SoakOptions): Promise<SoakSummary> => {
  const { store: storeName, notify, hours, perSecond, folder } = options;
  mkdirSync(folder, { recursive: true });
  const retentionMs = retentionOf(hours * 3_600_000);
  const given = { setup: "plain", now: () => performance.now(), pids: () => [] } as const;
  const services = await startServices(storeName, notify, given);
  const processes: SoakProcess[] = [];
  try {
    const kind = await loadStore(storeName);
    await kind.prepare(services.directStoreUrl);
    const store = await kind.open(services.directStoreUrl, 3);
    try {
      const workers = Array.from({ length: workerCount }, () => "worker" as const);
      const roles = ["starter" as const, ...workers];
      for (const [index, role] of roles.entries()) {
        const name = `${role}${index}`;
        const storeUrl = withClientName(storeName, services.directStoreUrl, name);
        const notifyUrl = services.notify === null ? storeUrl : services.directNotifyUrl;
        const common = { store: storeName, notify, perSecond, retentionMs };
        const one = new SoakProcess({ ...common, storeUrl, notifyUrl, name, role });
        processes.push(one);
        await one.whenReady();
      }
      const summary = await conduct(options, processes, store);
      for (const each of processes) await each.close();
      return summary;
    } finally {
      await store.close();
    }
  } finally {
    for (const each of processes) await each.kill();
    await services.close();
  }
};
