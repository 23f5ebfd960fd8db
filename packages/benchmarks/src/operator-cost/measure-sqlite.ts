// The pages that each read of an operator needs on SQLite. The driver does not show the counters of statements. So the kernel counts: a
// new connection reads each page that it needs once from the file, as long as its cache holds them all. That is the number of
// distinct pages, while PostgreSQL counts each visit.
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createOperator } from "queuert/operator";
import { SqliteDriver } from "../participants/sqlite-file.ts";
import { fillSqlite } from "./fill-sqlite.ts";
import { type Known, type Read, reads } from "./reads.ts";

export interface FileRead {
  readonly name: string;
  /** Distinct pages of 4 kB. */
  readonly pages: number;
  readonly pagesMax: number;
  readonly ms: number;
}

const pageBytes = 4_096;

/** Bytes that this process has read by system calls. Linux. */
const bytesRead = (): number =>
  Number(/^rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

export const measureSqlite = async (jobCount: number): Promise<readonly FileRead[]> => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-operator-cost-"));
  const filename = join(folder, "jobs.db");
  const database = openWriter(filename);
  try {
    await createSqliteStateAdapter({
      stateProvider: await createBetterSqlite3Provider({ database }),
    });
    const examineStep = Math.min(100_000, Math.ceil(jobCount / 10));
    const known = { ...fillSqlite(database, jobCount), examineStep };
    const measured: FileRead[] = [];
    for (const read of reads) measured.push(await measure(filename, read, known));
    return measured;
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
};

/** It waits for no other process: there is none. */
const openWriter = (filename: string): Database => {
  const database = new SqliteDriver(filename, { timeout: 0 });
  database.pragma("journal_mode = WAL");
  return database;
};

const measure = async (filename: string, read: Read, known: Known): Promise<FileRead> => {
  const database = openWriter(filename);
  const reader = new SqliteDriver(filename);
  // A gigabyte: no page is read twice. Mapped pages would be read without a call.
  for (const setting of ["cache_size = -1000000", "mmap_size = 0"]) reader.pragma(setting);
  const stateProvider = await createBetterSqlite3Provider({ database, reader });
  try {
    const stateAdapter = await createSqliteStateAdapter({ stateProvider });
    const jobTypeDefinitions = defineUnionJobTypes<object>();
    const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, log: () => undefined });
    const { examineStep } = known;
    const operator = createOperator({ queuert, examineStep, queryTimeoutMs: 600_000 });
    const own = bytesRead();
    // The look at the counter is read by a call, too.
    const ownBytes = bytesRead() - own;
    const before = bytesRead();
    const begunAt = performance.now();
    await read.run(operator, known);
    const ms = performance.now() - begunAt;
    const pages = Math.ceil((bytesRead() - before - ownBytes) / pageBytes);
    return { name: read.name, pages, pagesMax: read.pagesMax(known), ms };
  } finally {
    await stateProvider.close();
    reader.close();
    database.close();
  }
};
