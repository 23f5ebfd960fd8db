// Compares two files of results: slower, faster, or hidden by the spread.
import { cases } from "../cases/index.ts";
import { keyOf, type ResultLine } from "./result-line.ts";

export type Verdict = "better" | "worse" | "same" | "fixed" | "broken" | "new" | "gone";

export interface Difference {
  readonly case: string;
  readonly participant: string;
  readonly unit: string;
  readonly verdict: Verdict;
  readonly before: number | null;
  readonly after: number | null;
}

/** Less than this is not a difference, for any spread. */
const least = 0.05;

const isMoreBetter = ({ unit }: ResultLine): boolean => unit.startsWith("jobs/s");

const judge = (before: ResultLine, after: ResultLine): Verdict => {
  if (before.median === null || after.median === null) {
    if (before.median === after.median) return "same";
    return after.median === null ? "broken" : "fixed";
  }
  // Rounds that overlap might as well have come from one run.
  const overlap = (before.low ?? 0) <= (after.high ?? 0) && (after.low ?? 0) <= (before.high ?? 0);
  const change = after.median / before.median - 1;
  if (overlap || Math.abs(change) < least) return "same";
  return change > 0 === isMoreBetter(after) ? "better" : "worse";
};

export const compare = (
  before: readonly ResultLine[],
  after: readonly ResultLine[],
): readonly Difference[] => {
  const [old, fresh] = [before, after].map(
    (lines) => new Map(lines.map((line) => [keyOf(line), line])),
  ) as [Map<string, ResultLine>, Map<string, ResultLine>]; // As many as there are lists.
  const order = new Map(cases.map(({ name }, index) => [name, index]));
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((key): Difference => {
      const [one, other] = [old.get(key), fresh.get(key)];
      // One of the two has the key.
      const { case: name, participant, unit } = (other ?? one) as ResultLine;
      const verdict = one === undefined ? "new" : other === undefined ? "gone" : judge(one, other);
      const figures = { before: one?.median ?? null, after: other?.median ?? null };
      return { case: name, participant, unit, verdict, ...figures };
    })
    .toSorted((one, other) => (order.get(one.case) ?? 99) - (order.get(other.case) ?? 99));
};

/** A failed figure of one file has no unit to be found by in the other where every participant failed. */
export const toComparison = (differences: readonly Difference[]): string => {
  const change = ({ before, after }: Difference): string =>
    before === null || after === null ? "" : `${((after / before - 1) * 100).toFixed(0)} %`;
  return [
    "| case | participant | unit | before | after | change | |",
    "|---|---|---|---:|---:|---:|---|",
    ...differences.map(
      (one) =>
        `| ${one.case} | ${one.participant} | ${one.unit} | ${one.before ?? "–"} | ${one.after ?? "–"} | ${change(one)} | ${one.verdict} |`,
    ),
    "",
  ].join("\n");
};
