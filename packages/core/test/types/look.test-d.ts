import { describe, expectTypeOf, it } from "vitest";
import { client, id, queuert } from "./fixtures.ts";
import type { JobId } from "./fixtures.ts";

describe("getJob", () => {
  it("answers the job of the type asked for", async () => {
    const job = await queuert.getJob({ id, typeName: "order" });
    if (!job) return;
    expectTypeOf(job.input).toEqualTypeOf<{ orderId: number }>();
    if (job.status === "running") expectTypeOf(job.leasedBy).toEqualTypeOf<string>();
    if (job.status === "failed") expectTypeOf(job.lastAttemptError).toEqualTypeOf<string>();
    if (job.status !== "completed") return;
    if (job.continuedToId === null) expectTypeOf(job.output).toEqualTypeOf<{ skipped: true }>();
    else expectTypeOf(job.continuedToId).toEqualTypeOf<JobId>();
    // @ts-expect-error only running jobs have a lease
    void job.leasedBy;
  });

  it("answers any job otherwise, to be told apart by typeName", async () => {
    const job = await queuert.getJob({ client, id });
    if (job?.typeName === "ship") {
      expectTypeOf(job.input).toEqualTypeOf<{ address: string }>();
      expectTypeOf(job.sequenceTypeName).toEqualTypeOf<"order" | "reship">();
    }
    if (job?.typeName === "order") {
      expectTypeOf(job.sequenceTypeName).toEqualTypeOf<"order">();
    }
  });

  it("refuses a type and an id that cannot be", async () => {
    // @ts-expect-error no such type
    await queuert.getJob({ id, typeName: "nope" });
    // @ts-expect-error not a job id
    await queuert.getJob({ id: "1" });
    // @ts-expect-error not a client
    await queuert.getJob({ id, client: 1 });
  });
});

describe("getJobSequence", () => {
  it("answers sequences of entry types", async () => {
    const sequence = await queuert.getJobSequence({ id });
    expectTypeOf<NonNullable<typeof sequence>["typeName"]>().toEqualTypeOf<
      | "send"
      | "order"
      | "reship"
      | "report"
      | "digest"
      | "refund"
      | "approval"
      | "reminder"
      | "audit"
      | "poll"
    >();
    const one = await queuert.getJobSequence({ id, typeName: "reship" });
    if (one?.status === "completed") expectTypeOf(one.output).toEqualTypeOf<{ parcel: string }>();
    // @ts-expect-error no sequence starts with it
    await queuert.getJobSequence({ id, typeName: "ship" });
  });
});

describe("listJobs", () => {
  it("narrows by type and status, one or several", async () => {
    const page = await queuert.listJobs({ typeName: "order", status: "running", limit: 10 });
    expectTypeOf(page.nextCursor).toEqualTypeOf<string | null>();
    for (const job of page.items) {
      expectTypeOf(job.typeName).toEqualTypeOf<"order">();
      expectTypeOf(job.leasedBy).toEqualTypeOf<string>();
    }
    const several = await queuert.listJobs({
      client,
      typeName: ["order", "ship"],
      status: ["running", "failed"],
      createdFrom: new Date(),
      order: "desc",
      cursor: page.nextCursor,
    });
    expectTypeOf(several.items).items.toHaveProperty("typeName").toEqualTypeOf<"order" | "ship">();
    expectTypeOf(several.items)
      .items.toHaveProperty("status")
      .toEqualTypeOf<"running" | "failed">();
  });

  it("needs no options", async () => {
    const page = await queuert.listJobs();
    expectTypeOf(page.items).items.toHaveProperty("id").toEqualTypeOf<JobId>();
  });

  it("refuses unknown filters and values", async () => {
    // @ts-expect-error no such status
    await queuert.listJobs({ status: "done" });
    // @ts-expect-error no such type
    await queuert.listJobs({ typeName: ["order", "nope"] });
    // @ts-expect-error no such filter
    await queuert.listJobs({ state: "running" });
  });
});

describe("listJobSequences", () => {
  it("narrows by type and status", async () => {
    const page = await queuert.listJobSequences({ typeName: "send", status: "completed" });
    for (const sequence of page.items) {
      expectTypeOf(sequence.output).toEqualTypeOf<{ sentAt: string }>();
    }
    const waiting = await queuert.listJobSequences({ status: ["blocked", "pending"] });
    // @ts-expect-error unfinished sequences have no output
    void waiting.items[0]?.output;
  });
});

describe("getBlockerGraph", () => {
  it("names dependants and their blockers", async () => {
    const { nodes, edges } = await queuert.getBlockerGraph({ sequenceId: id });
    expectTypeOf(nodes).items.toHaveProperty("sequenceId").toEqualTypeOf<JobId>();
    expectTypeOf(edges).items.toHaveProperty("blockerSequenceId").toEqualTypeOf<JobId>();
  });
});

describe("explain", () => {
  it("gives the fields of each kind of reason", async () => {
    const { verdict, reasons } = await queuert.explain({ id });
    expectTypeOf(verdict).toEqualTypeOf<"finished" | "running" | "will_run" | "waits" | "stuck">();
    for (const reason of reasons) {
      if (reason.kind === "scheduled") expectTypeOf(reason.at).toEqualTypeOf<Date>();
      // @ts-expect-error only a scheduled job has a due time among its reasons
      void reason.at.getTime();
    }
    // @ts-expect-error the id has its own type
    await queuert.explain({ id: 1 });
  });
});
