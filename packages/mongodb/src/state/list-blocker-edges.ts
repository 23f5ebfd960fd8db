import type { BlockerEdge, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobDocument, sequenceIdOf } from "../job-document.ts";

/** The edges of one job, in the order in which its blockers were given. */
export const toBlockerEdges = ({
  blockers = [],
  ...job
}: Pick<JobDocument, "_id" | "sequenceId" | "blockers">): BlockerEdge[] =>
  blockers.map((blockerSequenceId, index) => ({
    jobId: job._id,
    sequenceId: sequenceIdOf(job),
    blockerSequenceId,
    index,
  }));

export const listBlockerEdges =
  (db: Database): StateAdapter<object, object, string>["listBlockerEdges"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const wanted = new Set<string>(ids);
    const hasBlockers = { blockers: { $exists: true } };
    const scope = db.scopeOf(context);
    const found = await db.jobs.find(
      scope,
      {
        $or: [
          { blockers: { $in: ids } },
          // The first job of a sequence, and those that continued it.
          { _id: { $in: ids }, position: 0, ...hasBlockers },
          { sequenceId: { $in: ids }, position: { $gt: 0 }, ...hasBlockers },
        ],
      },
      { projection: { sequenceId: 1, blockers: 1, ordinal: 1 } },
    );
    const edges = found
      .sort((a, b) => a.ordinal - b.ordinal)
      .flatMap(toBlockerEdges)
      .filter((edge) => wanted.has(edge.sequenceId) || wanted.has(edge.blockerSequenceId));
    const blockerIds = [...new Set(edges.map(({ blockerSequenceId }) => blockerSequenceId))];
    // A completed job keeps the ids of blockers that were deleted since.
    const present = await db.jobs.find(
      scope,
      { _id: { $in: blockerIds } },
      { projection: { _id: 1 } },
    );
    const there = new Set(present.map(({ _id }) => _id));
    return edges.filter(({ blockerSequenceId }) => there.has(blockerSequenceId));
  };
