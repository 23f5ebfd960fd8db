import { describe, expectTypeOf, it } from "vitest";
import { rescheduleJob } from "../../src/index.ts";
import { queuert } from "./fixtures.ts";

describe("setLimits, getLimits and deleteLimits", () => {
  it("take job types by name", async () => {
    await queuert.setLimits({ limits: [{ name: "send", concurrency: 1, rate: null }] });
    await queuert.setLimits({ limits: [{ name: "order", rate: { count: 5, perMs: 1_000 } }] });
    // Types may share a limit of any name: that it is known is checked when it is called.
    await queuert.setLimits({ limits: [{ name: "crm", perKey: { concurrency: 1 } }] });
    // @ts-expect-error a rate needs a time
    await queuert.setLimits({ limits: [{ name: "send", rate: { count: 5 } }] });
    const [limit] = await queuert.getLimits({ names: ["send"] });
    expectTypeOf(limit?.tokens).toEqualTypeOf<number | null | undefined>();
    expectTypeOf(limit?.running).toEqualTypeOf<number | undefined>();
    const names = await queuert.deleteLimits({ names: ["send", "crm"] });
    expectTypeOf(names).toEqualTypeOf<readonly string[]>();
    // @ts-expect-error names are needed
    await queuert.deleteLimits({});
  });

  it("are paused by name, and a job asks for that", async () => {
    await queuert.pause({ limit: "crm", forMs: 1_000 });
    await queuert.pause({ limit: "crm", keys: ["a"] });
    await queuert.resume({ limit: "crm" });
    // @ts-expect-error keys of no limit
    await queuert.pause({ keys: ["a"] });
    const asked = () => rescheduleJob({ afterMs: 1_000, pauses: "limit" });
    expectTypeOf(asked).returns.toBeNever();
    // @ts-expect-error not a scope
    const wrong = () => rescheduleJob({ afterMs: 1_000, pauses: "everything" });
    expectTypeOf(wrong).returns.toBeNever();
  });
});
