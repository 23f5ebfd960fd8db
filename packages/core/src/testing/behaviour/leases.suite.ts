import { expect } from "vitest";
import type { JobAbortReason } from "../../public-types/abort.ts";
import { createStateSteps } from "../steps.ts";
import { eventually } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault } from "./intercept-state.ts";

const shortLease = { leaseMs: 150, renewIntervalMs: 30 };
// Renewed, it must outlive the moments for which a busy machine stands still.
const renewedLease = { leaseMs: 500, renewIntervalMs: 40 };

export const leasesSuite: BehaviourSuite = defineBehaviourSuite("leases", (rule) => {
  rule("a lease is renewed while its job runs, longer than the lease", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: {
        leaseConfig: renewedLease,
        process: async ({ job, complete }) => {
          await held.pass();
          return complete(job.leaseVersion);
        },
      },
    });
    await held.arrived();
    // Another worker looks all the time, and finds nothing to take.
    await client.work(
      { task: async ({ complete }) => complete("taken") },
      { pollIntervalMs: 10, workerId: "other" },
    );
    const leasedUntil = async (): Promise<number> => {
      const job = await client.job(started);
      return job.status === "running" ? job.leasedUntil.getTime() : 0;
    };
    const before = await leasedUntil();
    await eventually(
      async () => ((await leasedUntil()) > before + renewedLease.leaseMs ? true : undefined),
      "a lease that ends after the first would have",
    );
    held.open();
    expect(await client.until(started)).toMatchObject({ output: 1 });
    expect(client.events.of("jobAttemptLeaseRenewed").length).toBeGreaterThan(1);
    expect(client.events.of("jobReaped")).toEqual([]);
  });

  rule("one statement renews all the leases of a worker", async ({ open, gate, stateAdapter }) => {
    const sizes: number[] = [];
    const counting = interceptState(stateAdapter, {
      before: (operation, params) => {
        if (operation !== "renewLeases") return;
        sizes.push((params as { readonly leases: readonly unknown[] }).leases.length);
      },
    });
    const client = await open({ stateAdapter: counting });
    const held = gate();
    const started = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 8 }, (_, input) => ({ typeName: "task", input }) as const),
      }),
    );
    await client.work({
      task: {
        leaseConfig: { leaseMs: 600, renewIntervalMs: 60 },
        process: async ({ complete }) => {
          await held.pass();
          return complete(null);
        },
      },
    });
    await held.arrived(8);
    await eventually(
      () => Promise.resolve(sizes.includes(8) ? true : undefined),
      "a renewal of all eight",
    );
    held.open();
    for (const one of started) await client.until(one);
  });

  rule("a job whose worker has vanished is run by another", async ({ open, stateAdapter }) => {
    const client = await open();
    const steps = createStateSteps(stateAdapter);
    const started = await client.start("task");
    await steps.acquireOne({ typeName: "task", leaseMs: 60, workerId: "vanished" });
    await client.work({ task: async ({ job, complete }) => complete(job.leaseVersion) });
    expect(await client.until(started)).toMatchObject({ output: 2 });
    expect(client.events.of("jobReaped")).toMatchObject([{ id: started.id, leasedBy: "vanished" }]);
  });

  rule("a holder whose lease was taken is told, and stores nothing", async (context) => {
    const { open, openSecond, gate, stateAdapter, userRows } = context;
    // The first worker's renewals do not arrive: it is cut off, and does not know.
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases") throw new StateFault("cut off");
      },
    });
    const first = await open({ stateAdapter: cutOff });
    const second = await openSecond();
    const held = gate();
    const reasons: (JobAbortReason | undefined)[] = [];
    const started = await second.start("task");
    await first.work(
      {
        task: {
          leaseConfig: shortLease,
          process: async ({ signal, complete }) => {
            signal.addEventListener("abort", () => reasons.push(signal.reason));
            await held.pass();
            return complete(async (tx) => {
              await userRows.insert(tx, "the first's");
              return "first";
            });
          },
        },
      },
      // With one slot it cannot take its own job again.
      { workerId: "first", concurrency: 1, prefetch: 0, reapIntervalMs: 600_000 },
    );
    await held.arrived();
    await second.work(
      {
        task: async ({ complete }) => complete(async () => "second"),
      },
      { workerId: "second" },
    );
    expect(await second.until(started)).toMatchObject({ output: "second" });
    held.open();
    await eventually(() => Promise.resolve(reasons[0]), "the first's signal");
    const told = () =>
      first.events.of("jobAttemptTakenByAnotherWorker").length +
      first.events.of("jobAttemptAlreadyCompleted").length;
    await eventually(() => Promise.resolve(told() > 0 ? true : undefined), "the loss to be said");
    expect(told()).toBe(1);
    expect(await userRows.list()).toEqual([]);
    expect(await second.job(started)).toMatchObject({ completedBy: "second", attempt: 2 });
  });

  rule("an expired lease that no worker has taken over may still be completed", async (context) => {
    const { open, gate, stateAdapter } = context;
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases") throw new StateFault("cut off");
      },
    });
    const client = await open({ stateAdapter: cutOff });
    const steps = createStateSteps(stateAdapter);
    const held = gate();
    const started = await client.start("task");
    await client.work(
      {
        task: {
          leaseConfig: { leaseMs: 60, renewIntervalMs: 20 },
          process: async ({ complete }) => {
            await held.pass();
            return complete("late, and stored");
          },
        },
      },
      { concurrency: 1, prefetch: 0, reapIntervalMs: 600_000 },
    );
    await held.arrived();
    await steps.untilExpired(started);
    await client.events.until("jobAttemptLeaseExpired");
    held.open();
    expect(await client.until(started)).toMatchObject({ output: "late, and stored" });
  });

  rule('a lease that runs out unrenewed aborts the signal with "error"', async (context) => {
    const { open, gate, stateAdapter } = context;
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases") throw new StateFault("cut off");
      },
    });
    const client = await open({ stateAdapter: cutOff });
    const held = gate();
    const reasons: (JobAbortReason | undefined)[] = [];
    const started = await client.start("task");
    await client.work(
      {
        task: {
          leaseConfig: { leaseMs: 60, renewIntervalMs: 20 },
          process: async ({ signal, complete }) => {
            signal.addEventListener("abort", () => reasons.push(signal.reason));
            await held.pass();
            return complete(null);
          },
        },
      },
      { concurrency: 1, prefetch: 0, reapIntervalMs: 600_000 },
    );
    await held.arrived();
    await eventually(() => Promise.resolve(reasons[0]), "the signal");
    expect(reasons).toEqual(["error"]);
    held.open();
    await client.until(started);
  });

  rule("two workers with one id settle a job once, by its newer lease", async (context) => {
    const { open, openSecond, gate, stateAdapter } = context;
    // Same worker id, and renewals that do not arrive: worker ids cannot tell the two runs apart.
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases") throw new StateFault("cut off");
      },
    });
    const client = await open({ stateAdapter: cutOff });
    const second = await openSecond();
    const zombie = gate();
    const current = gate();
    const started = await client.start("task");
    const work = async (owner: BehaviourClient, leaseMs: number): Promise<unknown> =>
      owner.work(
        {
          task: {
            leaseConfig: { leaseMs, renewIntervalMs: 20 },
            process: async ({ job, complete }) => {
              await (job.leaseVersion === 1 ? zombie : current).pass();
              return complete(job.leaseVersion);
            },
          },
        },
        { workerId: "same", concurrency: 2, pollIntervalMs: 20 },
      );
    await work(client, 60);
    await zombie.arrived();
    // Long: on a busy machine the newer lease must not expire as well.
    await work(second, 60_000);
    await current.arrived();
    zombie.open();
    await eventually(
      () =>
        Promise.resolve(
          client.events.of("jobAttemptTakenByAnotherWorker").length > 0 ? true : undefined,
        ),
      "the loss of the older lease to be reported",
    );
    expect(await client.job(started)).toMatchObject({ status: "running" });
    current.open();
    const ended = await client.until(started);
    expect((ended as unknown as { output: number }).output).toBeGreaterThan(1);
    // Emitted once the result of the store is here. A query of the store may see it earlier.
    await eventually(() => Promise.resolve(second.events.of("jobCompleted")[0]), "its event");
    expect(second.events.of("jobCompleted")).toHaveLength(1);
    expect(client.events.of("jobCompleted")).toEqual([]);
  });

  rule("a saturated worker still reclaims jobs of other workers", async (context) => {
    const { open, openSecond, gate, secondStateAdapter } = context;
    const client = await open();
    const second = await openSecond();
    const held = gate();
    const busy = await client.start("task");
    await client.work(
      {
        task: {
          leaseConfig: { leaseMs: 1_000, renewIntervalMs: 20 },
          process: async ({ complete }) => {
            await held.pass();
            return complete(null);
          },
        },
      },
      { concurrency: 1, prefetch: 0, reapIntervalMs: 40 },
    );
    await held.arrived();
    const steps = createStateSteps(secondStateAdapter);
    const left = await Promise.all([second.start("other"), second.start("other")]);
    await steps.acquire({ typeName: "other", limit: 2, leaseMs: 1, workerId: "vanished" });
    for (const one of left) await second.untilJob(one, "pending");
    expect(client.events.of("jobReaped").map(({ leasedBy }) => leasedBy)).toEqual([
      "vanished",
      "vanished",
    ]);
    held.open();
    await client.until(busy);
  });

  rule("jobs that were claimed and cannot begin are handed back", async (context) => {
    const { open, openSecond, gate, stateAdapter } = context;
    const client = await open();
    const second = await openSecond();
    const held = gate();
    // Fast jobs first, so that the worker thinks it worth its while to prefetch; then slow ones.
    const quick = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 60 }, () => ({ typeName: "other", input: null }) as const),
      }),
    );
    const slowStore = interceptState(stateAdapter, {
      // An acquisition takes a while, which is the reason for prefetching.
      before: (operation) =>
        operation === "acquireJobs" ? new Promise((resolve) => setTimeout(resolve, 5)) : undefined,
    });
    const prefetching = await open({ stateAdapter: slowStore });
    await prefetching.work(
      {
        other: async ({ complete }) => complete(null),
        task: {
          leaseConfig: { leaseMs: 2_000, renewIntervalMs: 40 },
          process: async ({ complete }) => {
            await held.pass();
            return complete("the first's");
          },
        },
      },
      { concurrency: 2, prefetch: 10, workerId: "first" },
    );
    for (const one of quick) await client.until(one);
    const slow = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 6 }, () => ({ typeName: "task", input: null }) as const),
      }),
    );
    await held.arrived(2);
    // The others go to the worker that can begin them.
    await second.work({ task: async ({ complete }) => complete("the second's") });
    await eventually(async () => {
      const { items } = await client.queuert.listJobs({ typeName: "task", status: "completed" });
      return items.length === 4 ? true : undefined;
    }, "the four that had not begun");
    held.open();
    for (const one of slow) await client.until(one);
    const { items } = await client.queuert.listJobs({ typeName: "task" });
    expect(items.map(({ attempt }) => attempt)).toEqual(items.map(() => 1));
  });

  rule("a completion without its worker wins over the worker's own", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete(async () => "the worker's");
      },
    });
    await held.arrived();
    await client.queuert.transaction((tx) =>
      client.queuert.completeJobSequence({
        ...tx,
        typeName: "task",
        id: started.id,
        complete: async ({ job, complete }) => complete(job, () => "the other's"),
      }),
    );
    held.open();
    await client.events.until("jobAttemptAlreadyCompleted");
    expect(await client.sequence(started)).toMatchObject({ output: "the other's" });
    expect(await client.job(started)).toMatchObject({ completedBy: null });
    expect(client.events.of("jobCompleted")).toHaveLength(1);
  });
});
