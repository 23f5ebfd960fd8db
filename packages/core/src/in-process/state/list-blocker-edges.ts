import type { BlockerEdge } from "../../adapters/state-adapter-queries.ts";
import { edgesOf } from "../blocker-edges.ts";
import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import type { JobCell, View } from "../job-cell.ts";
import type { Store } from "../store.ts";

export const listBlockerEdges =
  (database: Database): InProcessMethod<"listBlockerEdges"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "listBlockerEdges", (store, view) => edgesAround(store, ids, view));

const edgesAround = (store: Store, ids: readonly string[], view: View): readonly BlockerEdge[] => {
  const wanted = new Set(ids);
  const waiting = new Set<JobCell>();
  for (const id of wanted) {
    const first = store.cells.get(id);
    if (first === undefined || first.first !== first) continue;
    for (const cell of first.chain?.walk("asc", null) ?? [first]) waiting.add(cell);
    for (const cell of first.dependants ?? []) waiting.add(cell);
  }
  return [...waiting]
    .sort((left, right) => left.ordinal - right.ordinal)
    .flatMap((cell) => edgesOf(cell, view))
    .filter((edge) => wanted.has(edge.sequenceId) || wanted.has(edge.blockerSequenceId));
};
