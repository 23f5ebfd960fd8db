// The blockers and dependants around one sequence, followed in both directions, level by level: the number of statements
// is the depth of the graph.
import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import type { Engine } from "../engine.ts";
import { JobNotFoundError } from "../errors.ts";
import { assertName } from "../model/assert-option.ts";
import type { BlockerGraph } from "../public-types/query.ts";
import { toJobSequence } from "../model/sequence.ts";

/** A larger graph is cut here. */
const nodesMax = 1_000;

/** The graph around a sequence. */
export const getBlockerGraph = async (
  { state, codec }: Engine,
  context: object | undefined,
  sequenceId: string,
): Promise<BlockerGraph> => {
  assertName(sequenceId, "sequenceId");
  const edges = new Map<string, BlockerEdge>();
  const seen = new Set([sequenceId]);
  let frontier: readonly string[] = [sequenceId];
  while (frontier.length > 0 && seen.size < nodesMax) {
    const found = await state.listBlockerEdges({ context, ids: frontier });
    const next = new Set<string>();
    for (const edge of found) {
      edges.set(`${edge.jobId}/${edge.index}`, edge);
      for (const id of [edge.sequenceId, edge.blockerSequenceId]) {
        if (!seen.has(id)) next.add(id);
        seen.add(id);
      }
    }
    frontier = [...next];
  }

  const ids = [...seen];
  const sequences = await state.getSequences({ context, ids });
  if (sequences[0] === undefined) throw new JobNotFoundError(sequenceId);
  const jobs = await state.getJobs({
    context,
    ids: [...edges.values()].map(({ jobId }) => jobId),
  });
  const completed = new Set<string>();
  const nodes = sequences.flatMap((sequence) => {
    if (sequence === undefined) return [];
    const { status, ...rest } = toJobSequence(codec, sequence);
    if (status === "completed") completed.add(sequence.first.id);
    return [
      {
        sequenceId: sequence.first.id,
        typeName: sequence.first.typeName,
        status,
        currentJobId: sequence.current.id,
        currentTypeName: sequence.current.typeName,
        error: "error" in rest ? rest.error : null,
      },
    ];
  });
  const waiting = [...edges.values()].map((edge, index) => ({
    ...edge,
    waiting: jobs[index]?.status === "blocked" && !completed.has(edge.blockerSequenceId),
  }));
  return { nodes, edges: waiting };
};
