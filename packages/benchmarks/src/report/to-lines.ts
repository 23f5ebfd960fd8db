import type { ParticipantResult } from "../run/run-case.ts";
import type { ResultLine } from "./result-line.ts";
import { median, spreadOf } from "./statistics.ts";

/** The floor of a store. If it did not take part, the first other floor of that store. */
const floorOf = (
  results: readonly ParticipantResult[],
  store: string,
): ParticipantResult | undefined =>
  results.find(({ participant }) => participant === `floor-${store}`) ??
  results.find(({ participant }) => participant.startsWith(`floor-${store}-`));

const unitsOf = (results: readonly ParticipantResult[]): readonly string[] => [
  ...new Set(
    results.flatMap(({ rounds }) => rounds.flatMap(({ measured }) => Object.keys(measured))),
  ),
];

const valuesOf = ({ rounds }: ParticipantResult, unit: string): readonly number[] =>
  rounds.flatMap(({ measured }) => measured[unit] ?? []);

/** Four digits say more than any of these figures can be relied on for. */
const round = (value: number): number => Number(value.toPrecision(4));

/** A line per participant and unit, in the order they were asked for. */
export const toLines = (
  caseName: string,
  results: readonly ParticipantResult[],
): readonly ResultLine[] => {
  const units = unitsOf(results);
  return results.flatMap((result): ResultLine[] => {
    const { participant, store, error } = result;
    const line = { case: caseName, participant };
    if (error !== undefined || result.rounds.length === 0) {
      const nothing = { median: null, low: null, high: null, ratioToFloor: null };
      return [{ ...line, ...nothing, unit: units[0] ?? "", error: error ?? "no rounds" }];
    }
    const floor = floorOf(results, store);
    return unitsOf([result]).flatMap((unit): ResultLine[] => {
      const values = valuesOf(result, unit);
      if (values.length === 0) return [];
      const spread = spreadOf(values);
      const floorMedian =
        floor === undefined || floor.error !== undefined
          ? Number.NaN
          : median(valuesOf(floor, unit));
      const ratio = spread.median / floorMedian;
      return [
        {
          ...line,
          median: round(spread.median),
          low: round(spread.low),
          high: round(spread.high),
          unit,
          ratioToFloor: Number.isFinite(ratio) ? round(ratio) : null,
        },
      ];
    });
  });
};
