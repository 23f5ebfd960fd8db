import { expect } from "vitest";
import { deferred, eventually, settlesWithin, within } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { countStatements, interceptState } from "./intercept-state.ts";
import { overrideNotify, recordNotify } from "./override-notify.ts";
import { rejection } from "./rejection.ts";

const timeoutMs = 10_000;

export const awaitingSuite: BehaviourSuite = defineBehaviourSuite("awaiting", (rule) => {
  rule("a waiter gets the completed sequence", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const { id } = await client.start("first", { input: "in" });
    await client.work({
      first: async ({ complete }) => {
        await held.pass();
        return complete.continueWith({ typeName: "next", input: null });
      },
      next: async ({ complete }) => complete("out"),
    });
    const waiting = client.queuert.waitForJobSequenceCompletion({
      typeName: "first",
      id,
      timeoutMs,
    });
    await held.arrived();
    held.open();
    expect(await waiting).toMatchObject({ id, status: "completed", input: "in", output: "out" });
  });

  rule("a sequence that has ended already is answered at once", async ({ open }) => {
    const client = await open();
    const { id } = await client.start("task");
    const worker = await client.work({ task: async ({ complete }) => complete("out") });
    await client.until({ id });
    await worker.stop();
    const waiting = client.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs,
    });
    expect(await waiting).toMatchObject({ output: "out" });
  });

  rule("an end between the listening and the look is not missed", async (context) => {
    const { open, notifyAdapter, stateAdapter } = context;
    const client = await open({
      notifyAdapter: overrideNotify(notifyAdapter, {
        notifyJobSequenceCompleted: async () => undefined,
      }),
    });
    const { id } = await client.start("task");
    const order: string[] = [];
    const watched = overrideNotify(notifyAdapter, {
      listenJobSequenceCompleted: async (listener) => {
        const stop = await notifyAdapter.listenJobSequenceCompleted(listener);
        order.push("listening");
        // It ends here: no notification follows.
        const worker = await client.work({ task: async ({ complete }) => complete("out") });
        await client.until({ id });
        await worker.stop();
        order.push("ended");
        return stop;
      },
    });
    const waiter = await open({
      notifyAdapter: watched,
      stateAdapter: {
        ...stateAdapter,
        getSequences: (params) => {
          order.push("look");
          return stateAdapter.getSequences(params);
        },
      },
    });
    const waiting = waiter.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs,
      pollIntervalMs: 60_000,
    });
    expect(await waiting).toMatchObject({ output: "out" });
    expect(order).toEqual(["listening", "ended", "look"]);
  });

  rule("ends are sent to other processes only while one of them waits", async (context) => {
    const { open, openSecond, gate, notifyAdapter, stateAdapter } = context;
    const { notifyAdapter: recorded, told } = recordNotify(notifyAdapter);
    const { bindStore } = notifyAdapter;
    // Both clients send on the channels of their store.
    const bound = bindStore === undefined ? recorded : { ...recorded, bindStore };
    const client = await open({ notifyAdapter: bound });
    const looked = deferred<void>();
    const second = await openSecond({
      stateAdapter: interceptState(stateAdapter, {
        after: (operation) => {
          if (operation === "getSequences") looked.resolve();
        },
      }),
    });
    const unheard = await client.start("task");
    const worker = await client.work({ task: async ({ complete }) => complete("out") });
    await client.until(unheard);
    // Its notifications have been sent when it has stopped.
    await worker.stop();
    expect(told.ended.flat()).not.toContain(unheard.id);
    const held = gate();
    const { id } = await client.start("task");
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete("out");
      },
    });
    await held.arrived();
    const waiting = second.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs: 3_000,
      pollIntervalMs: 60_000,
    });
    await looked.promise;
    held.open();
    expect(await waiting).toMatchObject({ output: "out" });
  });

  rule("a lost notification costs the poll interval, nothing more", async (context) => {
    const { open, gate, notifyAdapter } = context;
    const deaf = overrideNotify(notifyAdapter, {
      notifyJobSequenceCompleted: async () => undefined,
    });
    const client = await open({ notifyAdapter: deaf });
    const held = gate();
    const { id } = await client.start("task");
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete("out");
      },
    });
    const waiting = client.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs,
      pollIntervalMs: 30,
    });
    await held.arrived();
    held.open();
    expect(await waiting).toMatchObject({ output: "out" });
  });

  rule(
    "a waiter with a short poll interval is not held up by one with a long one",
    async (context) => {
      const { open, notifyAdapter } = context;
      const deaf = overrideNotify(notifyAdapter, {
        notifyJobSequenceCompleted: async () => undefined,
      });
      const client = await open({ notifyAdapter: deaf });
      const never = await client.start("other");
      const { id } = await client.start("task");
      const abort = new AbortController();
      const patient = rejection(
        client.queuert.waitForJobSequenceCompletion({
          typeName: "other",
          id: never.id,
          timeoutMs: 60_000,
          pollIntervalMs: 60_000,
          signal: abort.signal,
        }),
      );
      const waiting = client.queuert.waitForJobSequenceCompletion({
        typeName: "task",
        id,
        timeoutMs,
        pollIntervalMs: 30,
      });
      await client.work({ task: async ({ complete }) => complete("out") });
      expect(await waiting).toMatchObject({ output: "out" });
      abort.abort(new Error("done waiting"));
      await patient;
    },
  );

  rule("a failed sequence rejects its waiters at once, with the remedy", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const { id } = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async () => {
          await held.pass();
          throw new Error("broken");
        },
      },
    });
    const waiting = rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "task", id, timeoutMs }),
    );
    await held.arrived();
    held.open();
    expect(await waiting).toMatchObject({
      code: "QUEUERT_JOB_SEQUENCE_FAILED",
      sequenceId: id,
      jobId: id,
      lastAttemptError: expect.stringContaining("broken"),
      message: expect.stringContaining(`failed at job ${id}: Error: broken. After`),
    });
  });

  rule("a dependant that fails with its blocker rejects its waiters, too", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("task");
    const { id } = await client.start("waiting", {
      onBlockerFailure: "fail",
      startBlockers: () => Promise.resolve([blocker]),
    });
    const waiting = rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "waiting", id, timeoutMs }),
    );
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: () => Promise.reject(new Error("broken")),
      },
    });
    expect(await waiting).toMatchObject({
      code: "QUEUERT_JOB_SEQUENCE_FAILED",
      lastAttemptError: expect.stringContaining(blocker.id),
    });
  });

  rule("a waiter whose time is up says so, and the sequence goes on", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const { id } = await client.start("task");
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete("out");
      },
    });
    const error = await rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "task", id, timeoutMs: 50 }),
    );
    expect(error).toMatchObject({ code: "QUEUERT_WAIT_TIMEOUT", sequenceId: id, timeoutMs: 50 });
    held.open();
    expect(await client.until({ id })).toMatchObject({ output: "out" });
  });

  rule("waiting for a sequence that does not exist is refused at once", async ({ open }) => {
    const client = await open();
    const { id } = await client.start("task");
    await client.queuert.transaction((tx) =>
      client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [id] }),
    );
    const error = await rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "task", id, timeoutMs: 60_000 }),
    );
    expect(error).toMatchObject({ code: "QUEUERT_JOB_NOT_FOUND" });
  });

  rule("waiting under the wrong type is refused", async ({ open }) => {
    const client = await open();
    const { id } = await client.start("task");
    const error = await rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "other", id, timeoutMs: 60_000 }),
    );
    expect(error).toMatchObject({ code: "QUEUERT_INVALID_OPTION", option: "typeName" });
  });

  rule("a signal ends the waiting with its reason", async ({ open }) => {
    const client = await open();
    const { id } = await client.start("task");
    const reason = new Error("no longer interested");
    const abort = new AbortController();
    const options = { typeName: "task", id, timeoutMs: 60_000, signal: abort.signal } as const;
    const waiting = rejection(client.queuert.waitForJobSequenceCompletion(options));
    abort.abort(reason);
    expect(await waiting).toBe(reason);
    expect(await rejection(client.queuert.waitForJobSequenceCompletion(options))).toBe(reason);
  });

  rule("durations without meaning are refused", async ({ open }) => {
    const client = await open();
    const { id } = await client.start("task");
    for (const options of [
      { timeoutMs: -1 },
      { timeoutMs: Number.NaN },
      { timeoutMs: Number.POSITIVE_INFINITY },
      { timeoutMs: 5, pollIntervalMs: 0 },
      { timeoutMs: 5, pollIntervalMs: Number.NaN },
    ]) {
      const waiting = client.queuert.waitForJobSequenceCompletion({
        typeName: "task",
        id,
        ...options,
      });
      expect(await rejection(waiting)).toMatchObject({ code: "QUEUERT_INVALID_OPTION" });
    }
  });

  rule("many waiters look with one statement", async ({ open, stateAdapter, gate }) => {
    const { adapter, counts } = countStatements(stateAdapter);
    const client = await open();
    const waiter = await open({ stateAdapter: adapter });
    const held = gate();
    const started = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from(
          { length: 100 },
          (_, input) => ({ typeName: "task", input }) as const,
        ),
      }),
    );
    const waiting = started.map(({ id }) =>
      waiter.queuert.waitForJobSequenceCompletion({
        typeName: "task",
        id,
        timeoutMs,
        pollIntervalMs: 50,
      }),
    );
    await eventually(
      () => Promise.resolve((counts.get("getSequences") ?? 0) >= 3 ? true : undefined),
      "three rounds of looking",
    );
    // A hundred waiters and at least three rounds: looking one by one would be hundreds.
    expect(counts.get("getSequences")).toBeLessThan(60);
    await client.work({
      task: async ({ job, complete }) => {
        await held.pass();
        return complete(job.input);
      },
    });
    held.open();
    const ended = await Promise.all(waiting);
    expect(ended.map(({ output }) => output)).toEqual(started.map((_, index) => index));
  });

  rule("a transport that never answers does not keep a waiter past its time", async (context) => {
    const { open, notifyAdapter } = context;
    const silent = overrideNotify(notifyAdapter, {
      listenJobSequenceCompleted: () => new Promise(() => undefined),
    });
    const client = await open({ notifyAdapter: silent });
    const { id } = await client.start("task");
    const timedOut = rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "task", id, timeoutMs: 50 }),
    );
    expect(await within(timedOut, "the timeout", 3_000)).toMatchObject({
      code: "QUEUERT_WAIT_TIMEOUT",
    });
    await client.work({ task: async ({ complete }) => complete("out") });
    const waiting = client.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs,
    });
    expect(await within(waiting, "the sequence", 3_000)).toMatchObject({ output: "out" });
  });

  rule("a transport that cannot listen leaves polling", async ({ open, notifyAdapter }) => {
    const broken = overrideNotify(notifyAdapter, {
      listenJobSequenceCompleted: () => Promise.reject(new Error("no connection")),
    });
    const client = await open({ notifyAdapter: broken });
    const { id } = await client.start("task");
    await client.work({ task: async ({ complete }) => complete("out") });
    const waiting = client.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs,
    });
    expect(await waiting).toMatchObject({ output: "out" });
    expect(client.events.of("notifyAdapterError").map(({ operation }) => operation)).toEqual([
      "listenJobSequenceCompleted",
    ]);
  });

  rule("a look that fails is repeated", async ({ open, stateAdapter }) => {
    let failures = 3;
    const client = await open();
    const waiter = await open({
      stateAdapter: {
        ...stateAdapter,
        getSequences: (params) => {
          if (failures === 0) return stateAdapter.getSequences(params);
          failures -= 1;
          return Promise.reject(new Error("connection lost"));
        },
      },
    });
    const { id } = await client.start("task");
    await client.work({ task: async ({ complete }) => complete("out") });
    const waiting = waiter.queuert.waitForJobSequenceCompletion({
      typeName: "task",
      id,
      timeoutMs,
      pollIntervalMs: 20,
    });
    expect(await waiting).toMatchObject({ output: "out" });
    expect(failures).toBe(0);
  });

  rule("closing the client ends its waiters", async ({ open }) => {
    const client = await open();
    const { id } = await client.start("task");
    const waiting = rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "task", id, timeoutMs: 60_000 }),
    );
    expect(await settlesWithin(waiting, 60)).toBe(false);
    await client.queuert.close();
    expect(await within(waiting, "the waiter", 3_000)).toMatchObject({ code: "QUEUERT_CLOSED" });
  });

  rule("a listener is stopped when the waiting is over", async ({ open, notifyAdapter }) => {
    let listening = 0;
    const ended = deferred<void>();
    const counting = overrideNotify(notifyAdapter, {
      listenJobSequenceCompleted: async (listener) => {
        const stop = await notifyAdapter.listenJobSequenceCompleted(listener);
        listening += 1;
        return async () => {
          await stop();
          listening -= 1;
          ended.resolve();
        };
      },
    });
    const client = await open({ notifyAdapter: counting });
    const { id } = await client.start("task");
    await rejection(
      client.queuert.waitForJobSequenceCompletion({ typeName: "task", id, timeoutMs: 30 }),
    );
    await within(ended.promise, "the end of the listening");
    expect(listening).toBe(0);
  });
});
