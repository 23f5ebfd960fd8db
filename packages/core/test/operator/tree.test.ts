import { UnknownJobError } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { anOperator } from "./a-client.ts";

describe("the tree of a sequence", () => {
  it("has its sequences, jobs, waits and attempts, from any of its sequences", async () => {
    const { operator, steps } = await anOperator();
    const failed = await steps.createFailed({ typeName: "charge" }, "Error: bank");
    const blocked = await steps.createBlocked([failed], { typeName: "ship" });
    const tree = await operator.getTree({ sequenceId: blocked.sequenceId });
    expect(tree).toMatchObject({
      rootSequenceId: blocked.rootSequenceId,
      jobs: [{ id: blocked.id, status: "blocked" }],
      edges: [{ jobId: blocked.id, blockerSequenceId: failed.sequenceId, index: 0 }],
      attempts: {},
      cutAt: null,
    });
    expect(tree.sequences).toMatchObject([
      { id: blocked.sequenceId, status: "blocked", finishedAt: null, isOutside: false },
      { id: failed.sequenceId, status: "failed", isOutside: true },
    ]);
    const other = await operator.getTree({ sequenceId: failed.sequenceId });
    expect(other.attempts?.[failed.id]).toMatchObject([
      { outcome: "failed", error: "Error: bank" },
    ]);
  });

  it("is cut at the limit, and says so", async () => {
    const { operator, steps } = await anOperator();
    const root = await steps.createOne();
    for (let index = 0; index < 3; index++) {
      await steps.createOne({ rootSequenceId: root.rootSequenceId });
    }
    const { rootSequenceId: sequenceId } = root;
    expect(await operator.getTree({ sequenceId, limit: 3 })).toMatchObject({ cutAt: 3 });
    expect((await operator.getTree({ sequenceId, limit: 4 })).cutAt).toBeNull();
  });

  it("masks payloads, and refuses an unknown sequence", async () => {
    const { operator, steps } = await anOperator();
    const { sequenceId } = await steps.createOne({ input: '{"to":"ada"}' });
    const { jobs } = await operator.getTree({ sequenceId, payloads: "masked" });
    expect(jobs[0]?.input.text).toBe('{"to":"‹string 3›"}');
    const unknown = operator.getTree({ sequenceId: "absent" });
    await expect(unknown).rejects.toBeInstanceOf(UnknownJobError);
  });
});
