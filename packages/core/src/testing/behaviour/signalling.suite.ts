import { expect } from "vitest";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { cataloguedJobTypes } from "./definitions.ts";
import { rejection } from "./rejection.ts";
import { expectIt, key, send, workOn } from "./signal-steps.ts";

export const signallingSuite: BehaviourSuite = defineBehaviourSuite("signalling", (rule) => {
  rule("a signal releases the job that expects it, with its payload", async ({ open }) => {
    const client = await open();
    const waiting = await client.transact((tx) => expectIt(client, tx));
    expect(waiting.status).toBe("blocked");
    const [signal] = (await client.job(waiting)).blockers as readonly { id: string }[];
    expect(signal).toMatchObject({ status: "blocked", typeName: "approval", input: null });
    await workOn(client);
    const sent = await client.transact((tx) => send(client, tx, "yes"));
    expect(sent).toEqual([{ id: signal?.id, sent: true }]);
    expect(await client.until(waiting)).toMatchObject({ output: ["yes"] });
  });

  rule("a signal that was sent before is found", async ({ open }) => {
    const client = await open();
    const [sent] = await client.transact((tx) => send(client, tx, "early"));
    const expected = await client.queuert.expectSignal({
      autocommit: true,
      typeName: "approval",
      key,
    });
    expect(expected).toMatchObject({
      id: sent?.id,
      deduplicated: true,
      status: "completed",
      output: "early",
    });
    const waiting = await client.transact((tx) => expectIt(client, tx));
    expect(waiting.status).toBe("pending");
    await workOn(client);
    expect(await client.until(waiting)).toMatchObject({ output: ["early"] });
  });

  rule("one signal releases every job that expects it", async ({ open }) => {
    const client = await open();
    const waiting = [
      await client.transact((tx) => expectIt(client, tx)),
      await client.transact((tx) => expectIt(client, tx)),
    ];
    await workOn(client);
    await client.transact((tx) => send(client, tx, "all"));
    for (const one of waiting) expect(await client.until(one)).toMatchObject({ output: ["all"] });
  });

  rule("the first send of a key wins, also within one call", async ({ open }) => {
    const client = await open();
    const signals = ["a", "b"].map((payload) => ({ typeName: "approval" as const, key, payload }));
    const other = { typeName: "approval" as const, key: "order:2", payload: "c" };
    const sent = await client.queuert.sendSignals({
      autocommit: true,
      signals: [...signals, other],
    });
    const [first, , third] = sent;
    expect(sent).toEqual([
      { id: first?.id, sent: true },
      { id: first?.id, sent: false, reason: "already_sent" },
      { id: third?.id, sent: true },
    ]);
    expect(await client.transact((tx) => send(client, tx, "d"))).toEqual([
      { id: first?.id, sent: false, reason: "already_sent" },
    ]);
    expect(await client.sequence({ id: first?.id ?? "" })).toMatchObject({ output: "a" });
  });

  rule("a rolled-back send is no send", async ({ open }) => {
    const client = await open();
    const waiting = await client.transact((tx) => expectIt(client, tx));
    const undone = client.queuert.transaction(async (tx) => {
      await send(client, tx, "lost");
      throw new Error("undone");
    });
    expect(await rejection(undone)).toMatchObject({ message: "undone" });
    expect(await client.job(waiting)).toMatchObject({ status: "blocked" });
    await workOn(client);
    expect(await client.transact((tx) => send(client, tx, "kept"))).toMatchObject([{ sent: true }]);
    expect(await client.until(waiting)).toMatchObject({ output: ["kept"] });
  });

  rule("a signal that was cancelled is expected and sent anew", async ({ open }) => {
    const client = await open();
    const expected = { autocommit: true, typeName: "approval", key } as const;
    const { id } = await client.queuert.expectSignal(expected);
    await client.queuert.cancelJobSequences({ ids: [id] });
    const [sent] = await client.transact((tx) => send(client, tx, "anew"));
    expect(sent).toMatchObject({ sent: true });
    expect(sent?.id).not.toBe(id);
    expect(await client.sequence({ id })).toMatchObject({ status: "cancelled" });
    expect(await client.queuert.expectSignal(expected)).toMatchObject({ output: "anew" });
  });

  rule("a signal is awaited like any sequence", async ({ open }) => {
    const client = await open();
    const { id } = await client.queuert.expectSignal({
      autocommit: true,
      typeName: "approval",
      key,
    });
    const options = { typeName: "approval", id, timeoutMs: 10_000 } as const;
    const completed = client.queuert.waitForJobSequenceCompletion(options);
    await client.transact((tx) => send(client, tx, "there"));
    expect(await completed).toMatchObject({ id, output: "there" });
    await client.events.until("jobSequenceCompleted");
  });

  rule("explain names the signal that a job waits for", async ({ open }) => {
    const client = await open();
    const waiting = await client.transact((tx) => expectIt(client, tx));
    const { verdict, rootCause } = await client.queuert.explain({ id: waiting.id });
    expect(verdict).toBe("waits");
    expect(rootCause).toMatchObject({ reason: { kind: "awaits_signal", key } });
    const signal = await client.queuert.explain({ id: rootCause?.path.at(-1)?.jobId ?? "" });
    expect(signal.headline).toContain(`a signal of the key "${key}" that has not been sent`);
  });

  rule("a signal is not run, and another type is not sent", async ({ open }) => {
    const client = await open({ jobTypes: cataloguedJobTypes });
    const code = "QUEUERT_SIGNAL_MISMATCH";
    expect(await rejection(client.start("approval"))).toMatchObject({ code });
    const process = (): Promise<never> => Promise.reject(new Error("not run"));
    const working = client.work({ approval: process } as never);
    expect(await rejection(working)).toMatchObject({ code });
    const signals = [{ typeName: "task", key, payload: 1 }];
    const sending = client.queuert.sendSignals({ autocommit: true, signals } as never);
    expect(await rejection(sending)).toMatchObject({ code });
    const expecting = client.queuert.expectSignal({
      autocommit: true,
      typeName: "task",
      key,
    } as never);
    expect(await rejection(expecting)).toMatchObject({ code });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });
});
