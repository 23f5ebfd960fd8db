// The parts that the methods of one operator share.
import type { ExaminedJobs } from "../adapters/operator-reads.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { PageOrder } from "../model/page.ts";
import type { Engine } from "../engine.ts";
import { type Evidence, gatherEvidence } from "./explain/evidence.ts";
import type { ParsedFilter } from "./filter/parse-filter.ts";
import type { ReadCache, ReadSlots } from "./guest/read-slots.ts";
import type { PayloadView } from "./redact/redact.ts";
import { assertSearchable, search, type Viewer } from "./search/search.ts";

export interface OperatorCore {
  readonly engine: Engine;
  readonly state: AnyStateAdapter;
  readonly slots: ReadSlots;
  readonly cache: ReadCache;
  readonly examineStep: number;
  /** The clock of this process, for filters of input fields. */
  readonly processNow: () => Date;
  /** The viewer of a call. */
  readonly viewer: (given: PayloadView | undefined) => Viewer;
}

/** How long answers are kept. */
export const keptForMs = {
  evidence: 2_000,
  overview: 2_000,
  failures: 10_000,
  limits: 10_000,
  metrics: 10_000,
} as const;

/** The store's clock. */
export const readNow = async ({ state }: Pick<OperatorCore, "state">): Promise<Date> =>
  (await state.operator?.readClock?.()) ?? new Date();

/** The facts of lists: a moment old at most. */
export const keptEvidence = ({ state, cache }: OperatorCore): Promise<Evidence> =>
  cache.get("evidence", keptForMs.evidence, () => gatherEvidence(state));

export interface PageOfSearch {
  readonly order: PageOrder;
  readonly limit: number;
  readonly afterOrdinal: number | null;
}

/** One page of the jobs that match a filter. */
export const findJobs = (
  { state, examineStep }: OperatorCore,
  filter: ParsedFilter,
  page: PageOfSearch,
  viewer: Viewer,
  now: Date,
): Promise<ExaminedJobs> => {
  assertSearchable(filter, viewer);
  const conditions = filter.terms.map(({ condition }) => condition);
  const params = { ...page, conditions, ordinalMax: null, examineMax: examineStep };
  return search(state, params, viewer, now);
};
