import { createInProcessNotifyAdapter } from "queuert";
import { createOperator } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { defineUnionJobTypes } from "../../src/job-types/define-job-types.ts";
import { createQueuert } from "../../src/queuert.ts";
import { aStore } from "../in-process/a-store.ts";

/** Any job type: the tests give names as they need them. */
// oxlint-disable-next-line typescript/consistent-indexed-object-style -- a mapped type has no index signature to check
type AnyDefinitions = { [typeName: string]: { entry: true; input: unknown; output: unknown } };

const aWatchedStore = async () => {
  const store = aStore();
  const notifyAdapter = createInProcessNotifyAdapter();
  const open = () =>
    createQueuert({
      stateAdapter: store.state,
      notifyAdapter,
      jobTypeDefinitions: defineUnionJobTypes<AnyDefinitions>(),
      log: () => {},
    });
  const own = await open();
  const other = await open();
  const start = (client: typeof own, typeName = "send-mail") =>
    client.startJobSequence({ typeName, input: null, autocommit: true });
  await start(own);
  return { own, other, start, operator: createOperator({ queuert: own }) };
};

describe("watching", () => {
  it("tells of changes here and in other processes, until it ends", async () => {
    const { own, other, start, operator } = await aWatchedStore();
    let hints = 0;
    const stop = await operator.watch({ onHint: () => hints++ });
    await expect.poll(() => hints).toBe(1);
    await start(other);
    expect(hints).toBeGreaterThan(1);
    const before = hints;
    // Its type was not known when the watch began: this process is heard with all its types.
    await start(own, "other-type");
    expect(hints).toBeGreaterThan(before);
    stop();
    const after = hints;
    await start(own);
    await start(other);
    expect(hints).toBe(after);
  });

  it("does not fail a start by an error of its own", async () => {
    const { own, start, operator } = await aWatchedStore();
    const stop = await operator.watch({
      onHint: () => {
        throw new Error("a page");
      },
    });
    expect((await start(own)).id).toEqual(expect.any(String));
    stop();
  });

  it("refuses unknown options", async () => {
    const { operator } = await aWatchedStore();
    await expect(operator.watch({} as never)).rejects.toThrowError(/onHint/);
    const typo = { onHint: () => {}, sequenceId: "a" };
    await expect(operator.watch(typo as never)).rejects.toThrowError(/sequenceId/);
  });
});
