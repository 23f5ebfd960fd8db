// The layout of PostgreSQL beside today's, for decision 0018. CPU of the process in microseconds a job, in turns within one run:
//   tsx --conditions=@queuert/source packages/sqlite/bench/layouts/main.ts [rounds]
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import type BetterSqlite3 from "better-sqlite3";
import { BetterSqlite3Database } from "../../test/better-sqlite3.ts";
import type { HeldJob, Layout, OpenLayout } from "./layout.ts";
import { openReadyAndLease } from "./ready-and-lease.ts";
import { openToday } from "./today.ts";

const rounds = Number(process.argv[2] ?? 7);
const jobCount = 20_000;
const singleCount = 4_000;
const folder = mkdtempSync(join(tmpdir(), "queuert-layouts-"));

const layouts: Readonly<Record<string, OpenLayout>> = {
  today: openToday,
  // A step in between: without the entry of each running job in that index.
  "no index of leases": (db) => {
    db.exec("DROP INDEX queuert_job_leased");
    return openToday(db);
  },
  "ready and lease": openReadyAndLease,
};

/** A file with the tables of the adapter, and one of the user's. */
const open = async (filename: string): Promise<BetterSqlite3.Database> => {
  const settings = { filename, synchronous: "NORMAL", driver: BetterSqlite3Database } as const;
  const stateProvider = await createBetterSqlite3Provider(settings);
  await createSqliteStateAdapter({ stateProvider });
  await stateProvider.close();
  const db = new BetterSqlite3Database(filename);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec("CREATE TABLE user_row (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  return db;
};

type Figures = Record<string, number>;

const cpuUs = (count: number, run: () => void): number => {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
};

const transact = (db: BetterSqlite3.Database): (<T>(run: () => T) => T) => {
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];
  return (run) => {
    begin.run();
    const result = run();
    commit.run();
    return result;
  };
};

const batchSize = 100;

const measureSteps = (db: BetterSqlite3.Database, layout: Layout): Figures => {
  const inTransaction = transact(db);
  const held: (readonly HeldJob[])[] = [];
  const figures: Figures = {};
  figures["start by 1,000"] = cpuUs(jobCount, () => {
    for (let done = 0; done < jobCount; done += 1_000) inTransaction(() => layout.start(1_000));
  });
  figures["acquire by 100"] = cpuUs(jobCount, () => {
    for (let done = 0; done < jobCount; done += batchSize) {
      held.push(inTransaction(() => layout.acquire(batchSize)));
    }
  });
  figures["complete by 50"] = cpuUs(jobCount, () => {
    for (const jobs of held) {
      inTransaction(() => layout.complete(jobs.slice(0, batchSize / 2)));
      inTransaction(() => layout.complete(jobs.slice(batchSize / 2)));
    }
  });
  return figures;
};

const measureSingles = (db: BetterSqlite3.Database, layout: Layout): Figures => {
  const inTransaction = transact(db);
  const write = db.prepare("INSERT INTO user_row (text) VALUES ('done')");
  const held: HeldJob[] = [];
  const figures: Figures = {};
  figures["start one"] = cpuUs(singleCount, () => {
    for (let done = 0; done < singleCount; done++) inTransaction(() => layout.start(1));
  });
  for (let done = 0; done < singleCount; done += batchSize) {
    held.push(...inTransaction(() => layout.acquire(batchSize)));
  }
  figures["complete one with a row"] = cpuUs(singleCount, () => {
    for (const job of held) {
      inTransaction(() => {
        write.run();
        layout.complete([job]);
      });
    }
  });
  return figures;
};

const assertDone = (db: BetterSqlite3.Database): void => {
  const count = db
    .prepare("SELECT count(*) FROM queuert_job WHERE status = 'completed'")
    .pluck()
    .get();
  if (count !== jobCount + singleCount) throw new Error(`${String(count)} jobs are completed`);
};

const measureLayout = async (filename: string, openLayout: OpenLayout): Promise<Figures> => {
  const db = await open(filename);
  try {
    const layout = openLayout(db);
    const figures = { ...measureSteps(db, layout), ...measureSingles(db, layout) };
    assertDone(db);
    db.pragma("wal_checkpoint(TRUNCATE)");
    return { ...figures, "bytes a job": statSync(filename).size / (jobCount + singleCount) };
  } finally {
    db.close();
  }
};

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;

const results = new Map<string, Figures[]>();
for (let round = 0; round <= rounds; round++) {
  for (const [name, openLayout] of Object.entries(layouts).toSorted(() => Math.random() - 0.5)) {
    const figures = await measureLayout(join(folder, `${round} ${name}.db`), openLayout);
    // The first round warms up.
    if (round > 0) results.set(name, [...(results.get(name) ?? []), figures]);
  }
}
rmSync(folder, { recursive: true, force: true });
for (const name of Object.keys(results.get("today")?.[0] ?? {})) {
  const cells = Object.keys(layouts).map((layout) => {
    const values = results.get(layout)?.map((figures) => figures[name] ?? 0) ?? [];
    return `${layout} ${median(values).toFixed(2)} (least ${Math.min(...values).toFixed(2)})`;
  });
  console.log(`${name.padEnd(26)} ${cells.join("   ")}`);
}
