import { expect } from "vitest";
import type { AppendLogsParams, LogChunk } from "../../adapters/operator-logs.ts";
import { runAgainOnConflict } from "../run-again.ts";
import {
  defineOperatorSuite,
  type OperatorCaseContext,
  type OperatorSuite,
} from "./operator-suite.ts";

const dayMs = 24 * 60 * 60_000;

export const aChunk = (jobId: string, overrides: Partial<LogChunk> = {}): LogChunk => ({
  ...{ jobId, leaseVersion: 1, attempt: 1, firstLine: 0 },
  lines: '[{"message":"odd $name.\\u0000 \\ud800 é 🙂"}]',
  ...overrides,
});

export const append = (
  { operator }: OperatorCaseContext,
  params: Partial<AppendLogsParams>,
): Promise<void> =>
  operator.appendLogs({
    ...{ chunks: [], gaps: [], progress: [], forget: [], keptMs: dayMs },
    ...params,
  });

/** The stored chunks of a job, as `lease version:first line`. */
const placesOf = async ({ operator }: OperatorCaseContext, jobId: string): Promise<string[]> =>
  (await operator.listLogs({ jobId, after: null })).map(
    ({ leaseVersion, firstLine }) => `${leaseVersion}:${firstLine}`,
  );

const progressOf = async ({ operator }: OperatorCaseContext, jobId: string): Promise<unknown> =>
  (await operator.listProgress({ jobIds: [jobId] }))[0]?.note;

export const appendLogsSuite: OperatorSuite = defineOperatorSuite("appendLogs", (rule) => {
  rule(
    "A chunk that is stored already is not stored twice. Nothing is stored for a job that does not exist.",
    async (test) => {
      const { steps, operator } = test;
      const [first, second] = [await steps.createOne(), await steps.createOne()];
      const absent = await steps.absentId();
      const chunks = [second, first].flatMap(({ id }) => [
        aChunk(id, { firstLine: 7, lines: "[8]" }),
        aChunk(id),
      ]);
      const progress = [first.id, absent].map((jobId) => ({
        ...{ jobId, leaseVersion: 1, fraction: 0.25, note: "a" },
      }));
      await append(test, { chunks: [...chunks, aChunk(absent)], progress });
      await append(test, { chunks: chunks.map((chunk) => ({ ...chunk, lines: "[]" })) });
      const { jobId, ...stored } = aChunk(first.id);
      expect(jobId).toBe(first.id);
      for (const { id } of [first, second]) {
        expect(await operator.listLogs({ jobId: id, after: null })).toEqual([
          stored,
          { ...stored, firstLine: 7, lines: "[8]" },
        ]);
      }
      expect(await placesOf(test, absent)).toEqual([]);
      expect(await progressOf(test, first.id)).toBe("a");
      expect(await progressOf(test, absent)).toBeUndefined();
      await append(test, {});
    },
  );

  rule(
    "Removes the chunks of each gap. Of each job in the call, the last 3 attempts that logged keep their lines.",
    async (test) => {
      const { id } = await test.steps.createOne();
      const other = await test.steps.createOne();
      const lines = [0, 100, 150, 200];
      const chunks = [id, other.id].flatMap((jobId) =>
        lines.map((firstLine) => aChunk(jobId, { firstLine })),
      );
      await append(test, { chunks });
      await append(test, { gaps: [{ jobId: id, leaseVersion: 1, from: 100, before: 200 }] });
      await append(test, { gaps: [{ jobId: id, leaseVersion: 2, from: 0, before: 900 }] });
      expect(await placesOf(test, id)).toEqual(["1:0", "1:200"]);
      for (const leaseVersion of [4, 5]) {
        await append(test, {
          chunks: [aChunk(id, { leaseVersion }), aChunk(id, { leaseVersion, firstLine: 3 })],
        });
      }
      expect(await placesOf(test, id)).toEqual(["1:0", "1:200", "4:0", "4:3", "5:0", "5:3"]);
      await append(test, { chunks: [aChunk(id, { leaseVersion: 9 })] });
      expect(await placesOf(test, id)).toEqual(["4:0", "4:3", "5:0", "5:3", "9:0"]);
      expect(await placesOf(test, other.id)).toEqual(lines.map((line) => `1:${line}`));
    },
  );

  rule(
    "The progress of a job is that of its newest attempt, and the last one of it.",
    async (test) => {
      const { id: jobId } = await test.steps.createOne();
      const note = (leaseVersion: number, text: string) =>
        append(test, { progress: [{ jobId, leaseVersion, fraction: null, note: text }] });
      await note(2, "second");
      await note(2, "second again");
      expect(await progressOf(test, jobId)).toBe("second again");
      await note(1, "late first");
      expect(await progressOf(test, jobId)).toBe("second again");
      await note(3, "$third");
      expect(await progressOf(test, jobId)).toBe("$third");
    },
  );

  rule(
    "Removes the lines and the progress of attempts to forget, also those of the same call.",
    async (test) => {
      const [first, second] = [await test.steps.createOne(), await test.steps.createOne()];
      const chunks = [first, second].flatMap(({ id }) => [
        aChunk(id),
        aChunk(id, { leaseVersion: 2 }),
      ]);
      const progress = [first, second].map(({ id }) => ({
        ...{ jobId: id, leaseVersion: 2, fraction: 1, note: "end" },
      }));
      const forget = [{ jobId: first.id, leaseVersion: 2 }];
      await append(test, { chunks, progress, forget });
      expect(await placesOf(test, first.id)).toEqual(["1:0"]);
      expect(await progressOf(test, first.id)).toBeUndefined();
      expect(await progressOf(test, second.id)).toBe("end");
      await append(test, { forget: [{ jobId: second.id, leaseVersion: 1 }] });
      expect(await placesOf(test, second.id)).toEqual(["2:0"]);
      expect(await progressOf(test, second.id)).toBe("end");
    },
  );

  rule("Removes lines and progress that were stored more than `keptMs` ago.", async (test) => {
    const { steps, operator } = test;
    const { id: jobId } = await steps.createOne();
    const progress = [{ jobId, leaseVersion: 1, fraction: 0, note: "old" }];
    await append(test, { chunks: [aChunk(jobId)], progress });
    const now = await operator.readClock();
    await steps.untilStoreTime(new Date(now.getTime() + 2));
    await append(test, {});
    expect(await placesOf(test, jobId)).toEqual(["1:0"]);
    await append(test, { keptMs: 0 });
    expect(await placesOf(test, jobId)).toEqual([]);
    expect(await progressOf(test, jobId)).toBeUndefined();
  });

  rule("Both are deleted with their job.", async (test) => {
    const { steps, stateAdapter } = test;
    const kept = await steps.createFailed({ typeName: "kept" });
    const gone = await steps.createOne({ typeName: "gone" });
    const ids = [kept.id, gone.id];
    const chunks = ids.map((id) => aChunk(id));
    const progress = ids.map((jobId) => ({ jobId, leaseVersion: 1, fraction: 0.5, note: "half" }));
    await append(test, { chunks, progress });
    await stateAdapter.runInTransaction((context) =>
      stateAdapter.deleteSequences({ context, rootSequenceIds: [gone.id] }),
    );
    expect(await placesOf(test, gone.id)).toEqual([]);
    expect(await progressOf(test, gone.id)).toBeUndefined();
    expect(await placesOf(test, kept.id)).toEqual(["1:0"]);
    await steps.untilStoreTime(kept.finishedAt ?? new Date());
    const never = { completedForMs: null, cancelledForMs: null } as const;
    await stateAdapter.deleteFinishedSequences({ ...never, failedForMs: 0, limit: 9 });
    expect(await placesOf(test, kept.id)).toEqual([]);
    expect(await progressOf(test, kept.id)).toBeUndefined();
  });

  rule("calls at the same time, and beside a deletion of the jobs, all end", async (test) => {
    const { steps, stateAdapter, isTransactionConflict } = test;
    const jobs = await Promise.all(Array.from({ length: 6 }, () => steps.createOne()));
    const ids = jobs.map(({ id }) => id);
    const calls = Array.from({ length: 8 }, async (_, round) => {
      const ordered = round % 2 === 0 ? ids : ids.toReversed();
      const about = ordered.map((jobId) => ({ jobId, leaseVersion: 1 }));
      await append(test, {
        chunks: ordered.map((id) => aChunk(id, { firstLine: round })),
        progress: about.map((entry) => ({ ...entry, fraction: 0.1, note: null })),
        forget: round === 7 ? about : [],
      });
    });
    const deletion = runAgainOnConflict(
      () =>
        stateAdapter.runInTransaction((context) =>
          stateAdapter.deleteSequences({ context, rootSequenceIds: ids.toReversed() }),
        ),
      isTransactionConflict,
    );
    await Promise.all([...calls, deletion]);
    const { length } = await stateAdapter.getJobs({ ids });
    expect(length).toBe(6);
  });
});
