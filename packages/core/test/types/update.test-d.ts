import { describe, expectTypeOf, it } from "vitest";
import { client, type JobId, queuert } from "./fixtures.ts";

declare const id: JobId;

describe("updateJobs", () => {
  it("takes the input of each type", async () => {
    const results = await queuert.updateJobs({
      client,
      jobs: [
        { id, typeName: "send", input: { to: "", at: new Date() }, priority: 1 },
        { id, typeName: "charge", input: { cents: 1 } },
        { id, typeName: "report", schedule: { afterMs: 1 } },
      ],
    });
    expectTypeOf(results[0]?.id).toEqualTypeOf<JobId | undefined>();
    // @ts-expect-error the input of another type
    await queuert.updateJobs({ jobs: [{ id, typeName: "order", input: { cents: 1 } }] });
    // @ts-expect-error no type
    await queuert.updateJobs({ jobs: [{ id, priority: 1 }] });
  });

  it("replaces named fields of a waiting job", async () => {
    const deduplication = { key: "k", strategy: "pending", replaces: ["input"] } as const;
    const input = { orderId: 1 };
    await queuert.startJobSequence({ client, typeName: "order", input, deduplication });
    const wrong = { ...deduplication, replaces: ["status"] } as const;
    // @ts-expect-error no such field
    await queuert.startJobSequence({ client, typeName: "order", input, deduplication: wrong });
  });
});
