// During a deployment workers of two versions share the collections. The new one migrates while the old one works, and neither
// loses a job.
import { startVersion } from "@queuert/test-services/next-version";
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { copyAsNextVersion, packageFolder } from "./next-version.ts";

interface Report {
  readonly created?: readonly string[];
  readonly started: number;
  readonly problems: readonly string[];
  readonly createdAgain: readonly string[];
  readonly foreign: readonly string[];
}

interface Job {
  readonly _id: string;
  readonly completedBy?: string;
  readonly progress?: string;
}

it("an old and a new worker share migrated collections under load, and lose nothing", async () => {
  const { url, name } = await providedMongodb().createDatabase();
  const client = new MongoClient(url);
  const database = client.db(name);
  const jobs = database.collection<Job>("queuert_jobs");
  const done = database.collection<{ key: string }>("done");
  const untilCompleted = async (workerId: string, count: number): Promise<void> => {
    while ((await jobs.countDocuments({ completedBy: workerId })) < count) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const nextVersion = await copyAsNextVersion();
  try {
    await database.createCollection("done");
    const old = startVersion<Report>(packageFolder, [url, name, "old"]);
    expect((await old.next()).created).toContain("queuert_jobs");
    await untilCompleted("old", 60);

    // It migrates while the old one works.
    const young = startVersion<Report>(nextVersion.folder, [url, name, "young"]);
    expect((await young.next()).created).toEqual(["queuert_jobs.progress"]);
    const before = await jobs.countDocuments({ completedBy: "old" });
    await Promise.all([untilCompleted("young", 60), untilCompleted("old", before + 60)]);
    // A process of the old version starts anew on the migrated collections.
    const again = startVersion<Report>(packageFolder, [url, name, "old again"]);
    expect((await again.next()).created).toEqual([]);
    await untilCompleted("old again", 30);
    for (const one of [old, young, again]) one.end();
    const reports = await Promise.all([old.next(), young.next(), again.next()]);

    for (const one of reports) expect(one).toMatchObject({ problems: [], createdAgain: [] });
    // The old version sees an index that it does not know, and leaves it.
    expect(reports[0].foreign).toEqual(["queuert_jobs.progress"]);
    const keys = (await done.find().toArray()).map(({ key }) => key);
    expect(keys).toHaveLength(2 * reports.reduce((sum, { started }) => sum + started, 0));
    expect(new Set(keys).size).toBe(keys.length);
    // The new field is written by the new version only, and both have worked since.
    expect(await jobs.distinct("completedBy", { progress: "done" })).toEqual(["young"]);
  } finally {
    await database.dropDatabase();
    await client.close();
    await nextVersion.remove();
  }
}, 120_000);
