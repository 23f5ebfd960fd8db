// During a deployment workers of two versions share one file. The new one migrates while the old one works, and neither loses
// a job.
import { startVersion } from "@queuert/test-services/next-version";
import { expect, it } from "vitest";
import { migrations } from "../../src/migrations/index.ts";
import { openProvider, temporaryFile } from "../open-store.ts";
import { copyAsNextVersion, packageFolder } from "./next-version.ts";

interface Report {
  readonly applied?: readonly string[];
  readonly started: number;
  readonly problems: readonly string[];
  readonly appliedAgain: readonly string[];
}

it("an old and a new worker share a migrated file under load, and lose nothing", async () => {
  const filename = temporaryFile();
  const provider = await openProvider(filename);
  await provider.write((connection) => connection.exec("CREATE TABLE done (key TEXT NOT NULL)"));
  const query = (sql: string, ...params: readonly string[]) =>
    provider.read((connection) => connection.prepare(sql).all(...params));
  const completedCount = async (workerId: string): Promise<number> => {
    const sql = "SELECT count(*) FROM queuert_job WHERE completed_by = ?";
    return Number((await query(sql, workerId))[0]?.[0]);
  };
  const untilCompleted = async (workerId: string, count: number): Promise<void> => {
    while ((await completedCount(workerId)) < count) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const nextVersion = await copyAsNextVersion();
  try {
    const old = startVersion<Report>(packageFolder, [filename, "old"]);
    expect(await old.next()).toEqual({ applied: migrations.map(({ name }) => name) });
    await untilCompleted("old", 300);

    // It migrates while the old one works.
    const young = startVersion<Report>(nextVersion.folder, [filename, "young"]);
    expect(await young.next()).toEqual({ applied: ["add-progress"] });
    const before = await completedCount("old");
    await Promise.all([untilCompleted("young", 300), untilCompleted("old", before + 300)]);
    // A process of the old version starts anew on the migrated file.
    const again = startVersion<Report>(packageFolder, [filename, "old again"]);
    expect(await again.next()).toEqual({ applied: [] });
    await untilCompleted("old again", 100);
    for (const one of [old, young, again]) one.end();
    const reports = await Promise.all([old.next(), young.next(), again.next()]);

    for (const one of reports) expect(one).toMatchObject({ problems: [], appliedAgain: [] });
    const expected = 2 * reports.reduce((sum, { started }) => sum + started, 0);
    const done = await query("SELECT count(*), count(DISTINCT key) FROM done");
    expect(done).toEqual([[expected, expected]]);
    // The new column is written by the new version only, and both have worked since.
    const written = await query(
      "SELECT DISTINCT completed_by FROM queuert_job WHERE progress = 'done'",
    );
    expect(written).toEqual([["young"]]);
  } finally {
    await nextVersion.remove();
  }
}, 120_000);
