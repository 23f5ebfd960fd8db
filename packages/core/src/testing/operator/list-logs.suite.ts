import { expect } from "vitest";
import { aChunk, append } from "./append-logs.suite.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const listLogsSuite: OperatorSuite = defineOperatorSuite("listLogs", (rule) => {
  rule(
    "The lines that a job's attempts have logged: by attempt, the oldest first, and then by line.",
    async (test) => {
      const { id: jobId } = await test.steps.createOne();
      const other = await test.steps.createOne();
      const places = [
        [2, 0],
        [10, 0],
        [2, 100],
        [2, 9],
      ] as const;
      const chunks = places.map(([leaseVersion, firstLine]) =>
        aChunk(jobId, { leaseVersion, firstLine, attempt: leaseVersion }),
      );
      await append(test, { chunks: [...chunks, aChunk(other.id)] });
      const list = async (after: readonly [number, number] | null) => {
        const [leaseVersion = 0, firstLine = 0] = after ?? [];
        const listed = await test.operator.listLogs({
          ...{ jobId, after: after && { leaseVersion, firstLine } },
        });
        return listed.map((chunk) => [chunk.leaseVersion, chunk.firstLine]);
      };
      expect(await list(null)).toEqual([
        [2, 0],
        [2, 9],
        [2, 100],
        [10, 0],
      ]);
      expect(await list([2, 9])).toEqual([
        [2, 100],
        [10, 0],
      ]);
      expect(await list([2, 50])).toEqual([
        [2, 100],
        [10, 0],
      ]);
      expect(await list([9, 900])).toEqual([[10, 0]]);
      expect(await list([10, 0])).toEqual([]);
      const absent = await test.steps.absentId();
      expect(await test.operator.listLogs({ jobId: absent, after: null })).toEqual([]);
    },
  );
});
