import type { ListSequencesParams } from "../../adapters/state-adapter-queries.ts";
import type { StateSequence } from "../../model/state-job.ts";
import type { Database, InProcessContext, InProcessMethod } from "../database.ts";
import { currentOf, type StoredJob, stateOf, type View } from "../stored-job.ts";
import { isCreatedWithin, viewSequence } from "../views.ts";
import type { Store } from "../store.ts";

export const listSequences =
  (database: Database): InProcessMethod<"listSequences"> =>
  async (params) =>
    params.limit <= 0
      ? []
      : database.read(params.context, "listSequences", (store, view) => page(store, params, view));

type Params = ListSequencesParams<InProcessContext>;

const page = (store: Store, params: Params, view: View): readonly StateSequence[] => {
  const sequences: StateSequence[] = [];
  for (const first of candidates(store, params)) {
    const sequence = matches(first, params, view) ? viewSequence(first, view) : undefined;
    if (sequence === undefined) continue;
    sequences.push(sequence);
    if (sequences.length === params.limit) break;
  }
  return sequences;
};

const candidates = (
  store: Store,
  { rootSequenceId, order, afterOrdinal }: Params,
): Iterable<StoredJob> =>
  rootSequenceId === null
    ? store.sequences.walk(order, afterOrdinal)
    : (store.tree(rootSequenceId)?.walk(order, afterOrdinal) ?? []);

const matches = (first: StoredJob, params: Params, view: View): boolean => {
  if (first.first !== first || !isCreatedWithin(first, params)) return false;
  if (params.typeNames !== null && !params.typeNames.includes(first.typeName)) return false;
  if (params.statuses === null) return true;
  const current = currentOf(first, view);
  const status = current === undefined ? undefined : stateOf(current, view)?.status;
  return status !== undefined && params.statuses.includes(status);
};
