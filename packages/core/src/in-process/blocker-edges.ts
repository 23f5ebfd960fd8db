import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import { type JobCell, stateOf, type View } from "./job-cell.ts";

/** For whom a job waits or waited, place by place. */
export const edgesOf = (cell: JobCell, view: View): readonly BlockerEdge[] =>
  (stateOf(cell, view)?.blockers ?? [])
    .filter(({ sequence }) => stateOf(sequence, view) !== undefined)
    .map(({ index, sequence }) => ({
      jobId: cell.id,
      sequenceId: cell.first.id,
      blockerSequenceId: sequence.id,
      index,
    }));
