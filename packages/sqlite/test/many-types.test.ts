// An acquisition of thousands of types costs a few statements, whichever of them has a job.
import { expect, it } from "vitest";
import { aNewJob, openStore, openWatched } from "./open-store.ts";

const typeCount = 5_000;

const typesOf = (leaseMs: number) =>
  Array.from({ length: typeCount }, (_, index) => ({
    ...{ typeName: `type-${index}`, limit: 10, leaseMs },
  }));

const openCounted = async () => {
  let count = 0;
  const { adapter } = await openWatched(() => void (count += 1));
  const countOf = async (step: () => Promise<unknown>): Promise<number> => {
    count = 0;
    await step();
    return count;
  };
  return { adapter, countOf };
};

it("one due job of 5,000 types takes no more statements than one of ten", async () => {
  const { adapter, countOf } = await openCounted();
  const all = typesOf(60_000);
  const typeName = "type-4321";
  const ten = all.filter((type) => type.typeName === typeName).concat(all.slice(0, 9));
  const countsOf = async (types: typeof all) => {
    const acquire = () => adapter.acquireJobs({ workerId: "w", limit: 10, types });
    const idle = await countOf(acquire);
    const [created] = await adapter.createJobs({ jobs: [aNewJob({ typeName })] });
    const found: unknown[] = [];
    const busy = await countOf(async () => found.push(...(await acquire()).jobs));
    expect(found).toMatchObject([{ job: { id: created?.job.id } }]);
    // The next look finds no job, and the one after it is idle again.
    await acquire();
    return { idle, busy };
  };
  const few = await countsOf(ten);
  const many = await countsOf(all);
  expect(few.idle).toBeGreaterThan(0);
  expect(many.idle).toBeLessThanOrEqual(few.idle);
  expect(many.busy).toBeLessThanOrEqual(few.busy);
});

it("of 5,000 types, those with an expired lease or a later job are found", async () => {
  const { adapter } = await openStore();
  const types = typesOf(1);
  await adapter.createJobs({ jobs: [aNewJob({ typeName: "type-17" })] });
  const [first] = (await adapter.acquireJobs({ workerId: "lost", limit: 1, types })).jobs;
  // The store's clock has whole milliseconds, and the lease one of them.
  await expect
    .poll(async () => {
      const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 1, types });
      return jobs.map(({ job, reclaimedFrom }) => [job.id, reclaimedFrom]);
    })
    .toEqual([[first?.job.id, "lost"]]);
  const schedule = { afterMs: 60_000 };
  await adapter.createJobs({ jobs: [aNewJob({ typeName: "type-4999", schedule })] });
  const later = typesOf(60_000).slice(1_000);
  const { jobs, nextDueInMs } = await adapter.acquireJobs({
    workerId: "w",
    limit: 1,
    types: later,
  });
  expect(jobs).toEqual([]);
  expect(nextDueInMs).toBeGreaterThan(0);
  expect(nextDueInMs).toBeLessThanOrEqual(60_000);
});

it("of 5,000 types, one whose only job stands under a key is found", async () => {
  const { adapter } = await openStore();
  const limitKey = { limitName: "api", key: "tenant", cost: 1 };
  const [created] = await adapter.createJobs({ jobs: [aNewJob({ typeName: "type-9", limitKey })] });
  const types = typesOf(60_000);
  const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 10, types });
  expect(jobs.map(({ job }) => job.id)).toEqual([created?.job.id]);
});
