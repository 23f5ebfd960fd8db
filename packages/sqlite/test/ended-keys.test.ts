// Keys whose jobs have ended stay in the line until an acquisition looks at them.
import { createStateSteps } from "queuert/testing";
import { expect, it } from "vitest";
import { aNewJob, openStore } from "./open-store.ts";

it("more keys than an acquisition has room for have ended: it finds the job of another key behind them", async () => {
  const { adapter } = await openStore();
  const steps = createStateSteps(adapter);
  const create = (key: string) =>
    adapter.createJobs({ jobs: [aNewJob({ limitKey: { limitName: "task", key, cost: 1 } })] });
  const limit = 3;
  for (let index = 0; index < 5 * limit; index++) await create(`ended ${index}`);
  for (const { job } of await steps.acquire({ limit: 5 * limit })) await steps.complete(job);
  const [created] = await create("new");
  expect((await steps.acquire({ limit })).map(({ job }) => job.id)).toEqual([created?.job.id]);
});
