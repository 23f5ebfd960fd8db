import type { ParticipantResult } from "../run/run-case.ts";
import type { ResultLine } from "./result-line.ts";
import { median } from "./statistics.ts";

const number = (value: number | null): string => {
  if (value === null) return "–";
  if (value >= 1_000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
};

// The first line says the reason. A reader of the JSON lines sees the stack.
const firstLine = (text: string): string => (text.split("\n")[0] ?? "").replaceAll("|", "\\|");

const row = (line: Omit<ResultLine, "case">): string => {
  if (line.error !== undefined) {
    return `| ${line.participant} | failed: ${firstLine(line.error)} | | | |`;
  }
  const { median: middle, low, high, unit, ratioToFloor } = line;
  const ratio = ratioToFloor === null ? "" : ratioToFloor.toFixed(2);
  return `| ${line.participant} | ${number(middle)} | ${number(low)} – ${number(high)} | ${unit} | ${ratio} |`;
};

/** One table for a case. */
export const toTable = (caseName: string, lines: readonly ResultLine[]): string =>
  `### ${caseName}\n\n${toFigureTable(lines)}`;

/** The same without its heading. */
export const toFigureTable = (lines: readonly Omit<ResultLine, "case">[]): string =>
  [
    "| participant | median | low – high | unit | ratio to floor |",
    "|---|---:|---:|---|---:|",
    ...lines.map(row),
    "",
  ].join("\n");

/** Where the time of each participant went; null where a figure does not exist. */
export interface Breakdown {
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly participant: string;
    readonly values: readonly (number | null)[];
  }[];
}

/** Medians over the rounds. Undefined if no participant has such figures. */
export const toBreakdown = (results: readonly ParticipantResult[]): Breakdown | undefined => {
  const withBreakdown = results.filter(
    ({ rounds, error }) => error === undefined && rounds.some(({ breakdown }) => breakdown),
  );
  if (withBreakdown.length === 0) return undefined;
  const columns = [
    ...new Set(
      withBreakdown.flatMap(({ rounds }) =>
        rounds.flatMap(({ breakdown = {} }) => Object.keys(breakdown)),
      ),
    ),
  ];
  const valueOf = ({ rounds }: ParticipantResult, name: string): number | null => {
    const values = rounds.flatMap(({ breakdown }) => breakdown?.[name] ?? []);
    return values.length === 0 ? null : Number(median(values).toPrecision(4));
  };
  return {
    columns,
    rows: withBreakdown.map((result) => ({
      participant: result.participant,
      values: columns.map((name) => valueOf(result, name)),
    })),
  };
};

export const toBreakdownTable = ({ columns, rows }: Breakdown): string =>
  [
    `| participant | ${columns.join(" | ")} |`,
    `|---|${columns.map(() => "---:").join("|")}|`,
    ...rows.map(
      ({ participant, values }) => `| ${participant} | ${values.map(number).join(" | ")} |`,
    ),
    "",
  ].join("\n");

/** The settings of each participant. */
export const toSettings = (
  results: readonly Pick<ParticipantResult, "participant" | "settings">[],
): string => {
  const settings = new Map(results.map(({ participant, settings }) => [participant, settings]));
  return [
    "| participant | settings |",
    "|---|---|",
    ...[...settings].map(([participant, text]) => `| ${participant} | ${text} |`),
    "",
  ].join("\n");
};
