// A search of sequences. They are read in pages, and compared here: a bounded number of them, however few match.
import { isLimitField, matchesAll } from "../../adapter-kit/job-conditions.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateSequence } from "../../model/state-job.ts";
import type { ParsedFilter } from "../filter/parse-filter.ts";
import type { PageOfSearch } from "../operator-core.ts";
import { InvalidFilterError } from "../operator-errors.ts";
import { assertSearchable, redacted, type Viewer } from "./search.ts";
import { toComparedJob } from "../views/sequence-view.ts";

/** Sequences that one page looks at. */
const examinedMax = 10_000;
/** Sequences read at once, with their payloads. */
const pageSize = 500;

export interface ExaminedSequences {
  readonly sequences: readonly StateSequence[];
  readonly examined: number;
  /** Null: all sequences were looked at. */
  readonly examinedTo: number | null;
}

/** One page of the sequences that match a filter. `now`: the store's clock. */
export const searchSequences = async (
  state: AnyStateAdapter,
  filter: ParsedFilter,
  { rootsOnly, ...page }: PageOfSearch & { readonly rootsOnly: boolean },
  viewer: Viewer,
  now: Date,
): Promise<ExaminedSequences> => {
  assertSearchable(filter, viewer);
  assertOfSequences(filter);
  const conditions = filter.terms.map(({ condition }) => condition);
  const { order, limit } = page;
  const matches = (sequence: StateSequence): boolean => {
    const { first } = sequence;
    if (rootsOnly && first.id !== first.rootSequenceId) return false;
    const job = toComparedJob(sequence);
    const shown = viewer.view === "raw" ? job : redacted(job, viewer.redaction);
    return conditions.every((each) =>
      each.field === "id" || each.field === "idPrefix"
        ? // The id of a sequence is that of its first job.
          [first, job].some((one) => matchesAll(one, [{ ...each, negated: false }], now)) !==
          each.negated
        : matchesAll(shown, [each], now),
    );
  };
  const sequences: StateSequence[] = [];
  let { afterOrdinal } = page;
  let examined = 0;
  while (examined < examinedMax) {
    const found = await state.listSequences({ ...noFilter, order, limit: pageSize, afterOrdinal });
    for (const sequence of found) {
      examined++;
      afterOrdinal = sequence.first.ordinal;
      if (!matches(sequence)) continue;
      sequences.push(sequence);
      if (sequences.length === limit) return { sequences, examined, examinedTo: afterOrdinal };
    }
    if (found.length < pageSize) return { sequences, examined, examinedTo: null };
  }
  return { sequences, examined, examinedTo: afterOrdinal };
};

/** Sequences are compared here, where the key of a job is not known. */
const assertOfSequences = ({ text, terms }: ParsedFilter): void => {
  for (const { condition, position, length, name } of terms) {
    if (condition.field !== "text" || !isLimitField(condition.of)) continue;
    throw new InvalidFilterError({
      ...{ filter: text, position, length },
      problem: `has a term \`${name}:\` that finds jobs and no sequences`,
      remedy: "look for jobs, or leave it out",
    });
  }
};

const noFilter = {
  typeNames: null,
  statuses: null,
  rootSequenceId: null,
  createdFrom: null,
  createdTo: null,
} as const;
