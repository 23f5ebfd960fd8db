import { expect } from "vitest";
import type { JobAbortReason } from "../../public-types/abort.ts";
import { eventually, sleep } from "../waiting.ts";
import type { Processes } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault } from "./intercept-state.ts";
import { overrideNotify } from "./override-notify.ts";

const leaseMs = 200;

/** Nothing else of this process runs meanwhile. */
const blockEventLoop = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** A worker and its own leases: they can expire although the worker lives. */
export const ownLeasesSuite: BehaviourSuite = defineBehaviourSuite("own leases", (rule) => {
  rule("after a blocked event loop a worker keeps its own jobs", async (context) => {
    const { open, gate, notifyAdapter } = context;
    let notify: () => void = () => undefined;
    const client = await open({
      notifyAdapter: overrideNotify(notifyAdapter, {
        listenJobScheduled: (listener) => {
          notify = () => listener.onJobScheduled("task");
          return notifyAdapter.listenJobScheduled(listener);
        },
      }),
    });
    const held = gate();
    const runs = new Map<string, number>();
    const slow = await client.start("task", { input: "slow" });
    const blocking = await client.start("task", { input: "blocking" });
    await client.work(
      {
        task: {
          leaseConfig: { leaseMs, renewIntervalMs: 40 },
          process: async ({ job, complete }) => {
            runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
            if (job.input === "slow") await held.pass();
            else {
              await held.arrived();
              blockEventLoop(2 * leaseMs);
              // The worker acquires before any timer has its turn.
              notify();
            }
            return complete(job.leaseVersion);
          },
        },
      },
      // No acquisition is under way before.
      { concurrency: 5, pollIntervalMs: 60_000 },
    );
    expect(await client.until(blocking)).toMatchObject({ output: 1 });
    await sleep(2 * leaseMs);
    held.open();
    expect(await client.until(slow)).toMatchObject({ output: 1 });
    expect([...runs.values()]).toEqual([1, 1]);
    expect(client.events.of("jobReaped")).toEqual([]);
    expect(client.events.of("jobAttemptTakenByAnotherWorker")).toEqual([]);
    // Reported, though no renewal has failed. On a busy machine a lease may expire once more.
    const [first, ...later] = client.events.of("jobAttemptLeaseExpired");
    expect(first).toMatchObject({ id: slow.id });
    expect(later.every(({ id }) => id === slow.id)).toBe(true);
  });

  rule(
    "after a blocked event loop a worker keeps the jobs of its client's workers",
    async (context) => {
      const { open, gate, notifyAdapter } = context;
      let notify: () => void = () => undefined;
      const client = await open({
        notifyAdapter: overrideNotify(notifyAdapter, {
          listenJobScheduled: (listener) => {
            notify = () => listener.onJobScheduled("task");
            return notifyAdapter.listenJobScheduled(listener);
          },
        }),
      });
      const held = gate();
      const runs: number[] = [];
      const processes: Processes = {
        task: {
          leaseConfig: { leaseMs, renewIntervalMs: 40 },
          process: async ({ job, complete }) => {
            runs.push(job.leaseVersion);
            await held.pass();
            return complete(null);
          },
        },
      };
      const slow = await client.start("task");
      await client.work(processes, { concurrency: 1 });
      await held.arrived();
      // The second worker is first to run again, and it implements the type of the first worker's job.
      const blocking = await client.start("other");
      await client.work(
        {
          ...processes,
          other: async ({ complete }) => {
            // The acquisition that brought this job has ended by then.
            await sleep(20);
            blockEventLoop(2 * leaseMs);
            notify();
            return complete(null);
          },
        },
        { concurrency: 5, pollIntervalMs: 60_000 },
      );
      await client.until(blocking);
      await client.events.until("jobAttemptLeaseRenewed");
      held.open();
      await client.until(slow);
      expect(runs).toEqual([1]);
      expect(client.events.of("jobReaped")).toEqual([]);
    },
  );

  rule("a busy worker does not reclaim the leases of its client's workers", async (context) => {
    const { open, gate, stateAdapter } = context;
    const slowId: { current: string | null } = { current: null };
    // Only the renewals of the first worker fail.
    const cutOff = interceptState(stateAdapter, {
      before: (operation, params) => {
        if (operation !== "renewLeases") return;
        const { leases } = params as { readonly leases: readonly { readonly jobId: string }[] };
        if (leases.some(({ jobId }) => jobId === slowId.current)) throw new StateFault("cut off");
      },
    });
    const client = await open({ stateAdapter: cutOff });
    const held = gate();
    const busy = gate();
    const leaseConfig = { leaseMs: 60, renewIntervalMs: 20 };
    const slow = await client.start("task");
    slowId.current = slow.id;
    await client.work({
      task: {
        leaseConfig,
        process: async ({ job, complete }) => {
          await held.pass();
          return complete(job.leaseVersion);
        },
      },
    });
    await held.arrived();
    const other = await client.start("other");
    await client.work(
      {
        other: {
          leaseConfig,
          process: async ({ complete }) => {
            await busy.pass();
            return complete(null);
          },
        },
      },
      { concurrency: 1, reapIntervalMs: 1 },
    );
    await busy.arrived();
    await client.events.until("jobAttemptLeaseExpired");
    // A round of the busy worker renews its lease, and then looks for expired ones: three begin after the expiry.
    const before = client.events.of("jobAttemptLeaseRenewed").length;
    await eventually(
      async () => client.events.of("jobAttemptLeaseRenewed")[before + 3],
      "three renewals",
    );
    expect(client.events.of("jobReaped")).toEqual([]);
    busy.open();
    held.open();
    await client.until(other);
    expect(await client.until(slow)).toMatchObject({ output: 1 });
  });

  rule("an expired lease is reported while a renewal is not answered", async (context) => {
    const { open, gate, stateAdapter } = context;
    const answering = gate();
    const slow = interceptState(stateAdapter, {
      before: (operation) => (operation === "renewLeases" ? answering.pass() : undefined),
    });
    const client = await open({ stateAdapter: slow });
    const held = gate();
    const reasons: (JobAbortReason | undefined)[] = [];
    const started = await client.start("task");
    await client.work({
      task: {
        leaseConfig: { leaseMs, renewIntervalMs: 40 },
        process: async ({ signal, complete }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          await held.pass();
          return complete("stored all the same");
        },
      },
    });
    await held.arrived();
    const expired = await client.events.until("jobAttemptLeaseExpired");
    expect(expired).toMatchObject({ id: started.id, leaseVersion: 1 });
    await eventually(() => Promise.resolve(reasons[0]), "the signal");
    expect(reasons).toEqual(["error"]);
    expect(client.events.of("jobAttemptLeaseExpired")).toHaveLength(1);
    answering.open();
    held.open();
    expect(await client.until(started)).toMatchObject({ output: "stored all the same" });
  });

  rule("a worker that cannot renew does not acquire its own job beside itself", async (context) => {
    const { open, gate, stateAdapter } = context;
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases") throw new StateFault("cut off");
      },
    });
    const client = await open({ stateAdapter: cutOff });
    const held = gate();
    const started = await client.start("task");
    await client.work(
      {
        task: {
          leaseConfig: { leaseMs: 60, renewIntervalMs: 20 },
          process: async ({ job, complete }) => {
            await held.pass();
            return complete(job.leaseVersion);
          },
        },
        other: async ({ complete }) => complete(null),
      },
      { concurrency: 5, pollIntervalMs: 5 },
    );
    await client.events.until("jobAttemptLeaseExpired");
    await sleep(100);
    expect(held.arrivals()).toBe(1);
    // Its other types go on, and so does this one once the job has ended.
    await client.until(await client.start("other"));
    held.open();
    expect(await client.until(started)).toMatchObject({ output: 1 });
    await client.until(await client.start("task"));
  });

  rule(
    "a job that a worker acquires again begins when its earlier run has ended",
    async (context) => {
      const { open, gate, stateAdapter } = context;
      // The store's clock has jumped: the leases are over by its time, and not by the worker's.
      const client = await open({
        stateAdapter: {
          ...stateAdapter,
          acquireJobs: (params) =>
            stateAdapter.acquireJobs({
              ...params,
              types: params.types.map((type) => ({ ...type, leaseMs: 30 })),
            }),
        },
      });
      const held = gate();
      const reasons: (JobAbortReason | undefined)[] = [];
      let running = 0;
      let most = 0;
      const started = await client.start("task");
      await client.work(
        {
          task: {
            leaseConfig: { leaseMs: 60_000 },
            process: async ({ job, signal, complete }) => {
              running += 1;
              most = Math.max(most, running);
              signal.addEventListener("abort", () => reasons.push(signal.reason));
              if (job.leaseVersion === 1) await held.pass();
              running -= 1;
              return complete(job.leaseVersion);
            },
          },
        },
        { concurrency: 5, pollIntervalMs: 10 },
      );
      await held.arrived();
      await client.events.until("jobReaped");
      await eventually(() => Promise.resolve(reasons[0]), "the signal of the first run");
      expect(reasons[0]).toBe("taken_by_another_worker");
      expect(most).toBe(1);
      held.open();
      const ended = await client.until(started);
      expect((ended as unknown as { output: number }).output).toBeGreaterThan(1);
      expect(most).toBe(1);
    },
  );

  rule("a job that was completed elsewhere rejects complete as completed", async (context) => {
    const { open, openSecond, gate, stateAdapter, notifyAdapter } = context;
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases") throw new StateFault("cut off");
      },
    });
    // The notification of the loss arrives when the case says so.
    let onOwnershipLost: (jobId: string) => void = () => undefined;
    const first = await open({
      stateAdapter: cutOff,
      notifyAdapter: overrideNotify(notifyAdapter, {
        listenJobOwnershipLost: async (listener) => {
          onOwnershipLost = listener.onOwnershipLost;
          return async () => undefined;
        },
      }),
    });
    const second = await openSecond();
    const held = gate();
    const errors: unknown[] = [];
    const started = await second.start("task");
    await first.work(
      {
        task: {
          leaseConfig: { leaseMs: 60, renewIntervalMs: 20 },
          process: async ({ complete }) => {
            await held.pass();
            await eventually(
              () => Promise.resolve(first.events.of("jobAttemptAlreadyCompleted")[0]),
              "the loss to be reported",
            );
            return complete("late").catch((error: unknown) => {
              errors.push(error);
              throw error;
            });
          },
        },
      },
      { concurrency: 1, prefetch: 0 },
    );
    await held.arrived();
    await second.work({ task: async ({ complete }) => complete("in time") });
    await second.until(started);
    onOwnershipLost(started.id);
    held.open();
    await eventually(() => Promise.resolve(errors[0]), "complete to reject");
    expect(errors).toMatchObject([{ code: "QUEUERT_JOB_ALREADY_COMPLETED", jobId: started.id }]);
  });

  rule("complete rejects as completed after a loss that was noticed earlier", async (context) => {
    const { open, openSecond, gate, stateAdapter, notifyAdapter } = context;
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases") throw new StateFault("cut off");
      },
    });
    let onOwnershipLost: (jobId: string) => void = () => undefined;
    const first = await open({
      stateAdapter: cutOff,
      notifyAdapter: overrideNotify(notifyAdapter, {
        listenJobOwnershipLost: async (listener) => {
          onOwnershipLost = listener.onOwnershipLost;
          return async () => undefined;
        },
      }),
    });
    const second = await openSecond();
    const held = gate();
    const taken = gate();
    const errors: unknown[] = [];
    const started = await second.start("task");
    await first.work(
      {
        task: {
          leaseConfig: { leaseMs: 60, renewIntervalMs: 20 },
          process: async ({ complete }) => {
            await held.pass();
            return complete("late").catch((error: unknown) => {
              errors.push(error);
              throw error;
            });
          },
        },
      },
      { concurrency: 1, prefetch: 0 },
    );
    await held.arrived();
    await second.work({
      task: async ({ complete }) => {
        await taken.pass();
        return complete("in time");
      },
    });
    // The loss is noticed while the other worker runs the job. No notification follows its completion.
    await taken.arrived();
    onOwnershipLost(started.id);
    await first.events.until("jobAttemptTakenByAnotherWorker");
    taken.open();
    await second.until(started);
    held.open();
    await eventually(() => Promise.resolve(errors[0]), "complete to reject");
    expect(errors).toMatchObject([{ code: "QUEUERT_JOB_ALREADY_COMPLETED", jobId: started.id }]);
  });
});
