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

const row = (line: ResultLine): string => {
  if (line.error !== undefined) {
    return `| ${line.participant} | failed: ${firstLine(line.error)} | | | |`;
  }
  const { median: middle, low, high, unit, ratioToFloor } = line;
  const ratio = ratioToFloor === null ? "" : ratioToFloor.toFixed(2);
  return `| ${line.participant} | ${number(middle)} | ${number(low)} – ${number(high)} | ${unit} | ${ratio} |`;
};

/** One table for a case. */
export const toTable = (caseName: string, lines: readonly ResultLine[]): string =>
  [
    `### ${caseName}`,
    "",
    "| participant | median | low – high | unit | ratio to floor |",
    "|---|---:|---:|---|---:|",
    ...lines.map(row),
    "",
  ].join("\n");

/** Where the time of a drain went: medians over the rounds. */
export const toBreakdown = (results: readonly ParticipantResult[]): string => {
  const withBreakdown = results.filter(
    ({ rounds, error }) => error === undefined && rounds.some(({ breakdown }) => breakdown),
  );
  if (withBreakdown.length === 0) return "";
  const names = [
    ...new Set(
      withBreakdown.flatMap(({ rounds }) =>
        rounds.flatMap(({ breakdown = {} }) => Object.keys(breakdown)),
      ),
    ),
  ];
  const cell = ({ rounds }: ParticipantResult, name: string): string => {
    const values = rounds.flatMap(({ breakdown }) => breakdown?.[name] ?? []);
    return values.length === 0 ? "–" : number(median(values));
  };
  return [
    `| participant | ${names.join(" | ")} |`,
    `|---|${names.map(() => "---:").join("|")}|`,
    ...withBreakdown.map(
      (result) =>
        `| ${result.participant} | ${names.map((name) => cell(result, name)).join(" | ")} |`,
    ),
    "",
  ].join("\n");
};

/** The settings of each participant. */
export const toSettings = (results: readonly ParticipantResult[]): string => {
  const settings = new Map(results.map(({ participant, settings }) => [participant, settings]));
  return [
    "| participant | settings |",
    "|---|---|",
    ...[...settings].map(([participant, text]) => `| ${participant} | ${text} |`),
    "",
  ].join("\n");
};
