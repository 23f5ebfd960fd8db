import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const getJobsSuite: StateSuite = defineStateSuite("getJobs", (rule) => {
  rule("answers in the order of the ids, a repeated one twice", async ({ steps, stateAdapter }) => {
    const [first, second, third] = await steps.create(
      { input: "1" },
      { input: "2" },
      { input: "3" },
    );
    const ids = [third, first, second, first].map((job) => job?.id ?? "");
    expect(await stateAdapter.getJobs({ ids })).toEqual([third, first, second, first]);
  });

  rule("Undefined for a job that does not exist.", async ({ steps, stateAdapter }) => {
    const job = await steps.createOne();
    const ids = [await steps.absentId(), job.id];
    expect(await stateAdapter.getJobs({ ids })).toEqual([undefined, job]);
  });

  rule("an id that no store could have given is of no job", async ({ steps, stateAdapter }) => {
    await steps.createOne();
    const ids = ["", "x", "'; --", "../..", "0", "ß"];
    const found = await stateAdapter.getJobs({ ids });
    expect(found).toEqual(ids.map(() => undefined));
  });

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await stateAdapter.getJobs({ ids: [] })).toEqual([]);
  });

  rule("its result is a copy", async ({ steps }) => {
    const job = await steps.createOne();
    const read = await steps.get(job);
    read.createdAt.setTime(0);
    Object.assign(read, { status: "failed" });
    expect(await steps.get(job)).toEqual(job);
  });

  rule("times are Dates, ids and names strings, counts numbers", async ({ steps }) => {
    const job = await steps.get(await steps.createCompleted());
    for (const key of [
      "createdAt",
      "scheduledAt",
      "sequenceCreatedAt",
      "lastAttemptAt",
      "finishedAt",
    ] as const) {
      expect(job[key]).toBeInstanceOf(Date);
    }
    for (const key of [
      "id",
      "sequenceId",
      "rootSequenceId",
      "typeName",
      "sequenceTypeName",
      "input",
      "output",
    ] as const) {
      expect(typeof job[key]).toBe("string");
    }
    for (const key of ["position", "ordinal", "priority", "attempt", "leaseVersion"] as const) {
      expect(Number.isInteger(job[key])).toBe(true);
    }
  });

  rule("has every field of the contract and no other", async ({ steps }) => {
    const fields = [
      ..."attempt blockedUntil completedBy continuedToId createdAt deduplicationKey finishedAt id input".split(
        " ",
      ),
      ..."lastAttemptAt lastAttemptError leaseVersion leasedBy leasedUntil onBlockerFailure".split(
        " ",
      ),
      ..."ordinal originId output position priority rootSequenceId scheduledAt sequenceCreatedAt".split(
        " ",
      ),
      ..."sequenceId sequenceTypeName status traceContext typeName".split(" "),
    ];
    const created = await steps.createOne();
    const running = await steps.acquireOne();
    for (const job of [created, running, await steps.get(created)]) {
      expect(Object.keys(job).sort()).toEqual([...fields].sort());
    }
  });
});
