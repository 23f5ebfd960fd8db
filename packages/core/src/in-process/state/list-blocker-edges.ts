import type { BlockerEdge } from "../../adapters/state-adapter-queries.ts";
import { edgesOf } from "../views.ts";
import type { Database, InProcessMethod } from "../database.ts";
import type { StoredJob, View } from "../stored-job.ts";
import type { Store } from "../store.ts";

export const listBlockerEdges =
  (database: Database): InProcessMethod<"listBlockerEdges"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "listBlockerEdges", (store, view) => edgesAround(store, ids, view));

const edgesAround = (store: Store, ids: readonly string[], view: View): readonly BlockerEdge[] => {
  const wanted = new Set(ids);
  const waiting = new Set<StoredJob>();
  for (const id of wanted) {
    const first = store.byId.get(id);
    if (first === undefined || first.first !== first) continue;
    for (const stored of first.chain?.walk("asc", null) ?? [first]) waiting.add(stored);
    for (const stored of first.dependants ?? []) waiting.add(stored);
  }
  return [...waiting]
    .sort((left, right) => left.ordinal - right.ordinal)
    .flatMap((stored) => edgesOf(stored, view))
    .filter((edge) => wanted.has(edge.sequenceId) || wanted.has(edge.blockerSequenceId));
};
