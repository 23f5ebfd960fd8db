import { expect } from "vitest";
import { minuteMs } from "../../factories.ts";
import { seededRandom } from "../../random.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";

const callers = 12;

export const acquisitionRaceSuite: StateSuite = defineStateSuite("races, acquisition", (rule) => {
  rule("Two callers never receive the same job: many callers, two adapters", async (test) => {
    const { steps, stateAdapter, secondStateAdapter, seed } = test;
    const random = seededRandom(seed);
    const created = await steps.create(...Array.from({ length: 200 }, () => ({})));
    const taken: string[] = [];
    const take = async (caller: number): Promise<void> => {
      const adapter = caller % 2 === 0 ? stateAdapter : secondStateAdapter;
      for (;;) {
        const limit = 1 + Math.floor(random() * 9);
        const types = [{ typeName: "task", limit, leaseMs: minuteMs }];
        const { jobs, nextDueInMs } = await adapter.acquireJobs({
          workerId: `w${caller}`,
          limit,
          types,
        });
        taken.push(...jobs.map(({ job }) => job.id));
        // Rows that others hold are passed over: only "nothing is due" means the end.
        if (jobs.length === 0 && nextDueInMs === null) return;
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => take(caller)));
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken).toHaveLength(created.length);
  });

  rule("an expired job is taken over by one caller, under one new lease", async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const count = 20;
    await steps.create(...Array.from({ length: count }, () => ({})));
    const lost = await steps.acquire({ limit: count, leaseMs: 1, workerId: "dead" });
    await steps.untilExpired(lost[count - 1]?.job ?? { id: "" });
    const types = [{ typeName: "task", limit: 7, leaseMs: minuteMs }];
    const taken: string[] = [];
    for (let round = 0; round < 20 && taken.length < count; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 6 }, (_, caller) =>
          (caller % 2 === 0 ? stateAdapter : secondStateAdapter).acquireJobs({
            workerId: `w${caller}`,
            limit: 7,
            types,
          }),
        ),
      );
      for (const { job, reclaimedFrom } of results.flatMap(({ jobs }) => jobs)) {
        expect(reclaimedFrom).toBe("dead");
        expect(job.leaseVersion).toBe(2);
        taken.push(job.id);
      }
    }
    expect(taken).toHaveLength(count);
    expect(new Set(taken).size).toBe(count);
  });

  rule("a reaper and an acquirer never both get an expired lease", async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const count = 30;
    await steps.create(...Array.from({ length: count }, () => ({})));
    const lost = await steps.acquire({ limit: count, leaseMs: 1, workerId: "dead" });
    await steps.untilExpired(lost[count - 1]?.job ?? { id: "" });
    const types = [{ typeName: "task", limit: count, leaseMs: minuteMs }];
    const [acquired, reclaimed] = await Promise.all([
      stateAdapter.acquireJobs({ workerId: "w", limit: count, types }),
      secondStateAdapter.reclaimExpiredLeases({ limit: count }),
    ]);
    const overtaken = acquired.jobs.filter(({ reclaimedFrom }) => reclaimedFrom !== null);
    const both = new Set([...overtaken.map(({ job }) => job.id), ...reclaimed.map(({ id }) => id)]);
    expect(both.size).toBe(overtaken.length + reclaimed.length);
    for (const { job } of acquired.jobs) expect((await steps.get(job)).status).toBe("running");
  });

  rule("work that appears while callers take is taken once", async (test) => {
    const { steps, secondSteps } = test;
    const taken: string[] = [];
    const created: string[] = [];
    const makers = Array.from({ length: 4 }, async () => {
      for (let round = 0; round < 10; round += 1) {
        created.push(...(await steps.create({}, {})).map(({ id }) => id));
      }
    });
    const takers = Array.from({ length: 4 }, async (_, index) => {
      for (let round = 0; round < 20; round += 1) {
        const on = index % 2 === 0 ? steps : secondSteps;
        const acquired = await on.acquire({ limit: 3, workerId: `w${index}` });
        taken.push(...acquired.map(({ job }) => job.id));
      }
    });
    await Promise.all([...makers, ...takers]);
    taken.push(...(await steps.acquire({ limit: 100 })).map(({ job }) => job.id));
    expect([...taken].sort()).toEqual([...created].sort());
  });
});
