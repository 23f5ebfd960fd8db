import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

export const getSequencesSuite: StateSuite = defineStateSuite("getSequences", (rule) => {
  rule("`current` is the job at the highest position.", async ({ steps, stateAdapter }) => {
    const first = await steps.createRunning({ typeName: "s0" });
    let last = first;
    for (const typeName of ["s1", "s2", "s3"]) {
      await steps.continueWith(last, { typeName });
      last = await steps.acquireOne({ typeName });
    }
    const sequence = only(await stateAdapter.getSequences({ ids: [first.id] }));
    expect(sequence?.first).toEqual(await steps.get(first));
    expect(sequence?.current).toEqual(last);
    expect(last.position).toBe(3);
  });

  rule("a sequence of one job is that job twice", async ({ steps }) => {
    const job = await steps.createOne();
    expect(await steps.getSequence(job.id)).toEqual({ first: job, current: job });
  });

  rule("Undefined for a sequence that does not exist.", async ({ steps, stateAdapter }) => {
    const first = await steps.createRunning();
    const second = await steps.continueWith(first);
    const ids = [second.id, await steps.absentId(), first.id];
    const found = await stateAdapter.getSequences({ ids });
    expect(found.map((each) => each?.first.id)).toEqual([undefined, undefined, first.id]);
  });

  rule("answers in the order of the ids, a repeated one twice", async ({ steps, stateAdapter }) => {
    const [a, b] = await steps.create({}, {});
    const ids = [b?.id ?? "", a?.id ?? "", b?.id ?? ""];
    const found = await stateAdapter.getSequences({ ids });
    expect(found.map((each) => each?.first.id)).toEqual(ids);
  });

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await stateAdapter.getSequences({ ids: [] })).toEqual([]);
  });

  rule("sequences of one tree are told apart", async ({ steps }) => {
    const root = await steps.createRunning({ typeName: "root" });
    const child = await steps.createOne({ rootSequenceId: root.id, originId: root.id });
    const next = await steps.continueWith(root);
    expect((await steps.getSequence(root.id)).current.id).toBe(next.id);
    expect((await steps.getSequence(child.id)).current.id).toBe(child.id);
  });
});
