// One figure of one participant, as it stands in a file of results. The first seven fields are stable.

export interface ResultLine {
  readonly case: string;
  readonly participant: string;
  readonly median: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly unit: string;
  /** Of the medians; null where the store has no floor for the case. */
  readonly ratioToFloor: number | null;
  /** Why there is no figure. */
  readonly error?: string;
}

/** The key by which two lines are the same figure. */
export const keyOf = ({ case: name, participant, unit }: ResultLine): string =>
  `${name}\t${participant}\t${unit}`;

const isResultLine = (value: unknown): value is ResultLine =>
  typeof value === "object" &&
  value !== null &&
  ["case", "participant", "unit"].every(
    (field) => typeof (value as Record<string, unknown>)[field] === "string",
  ) &&
  "median" in value;

export const parseResultLines = (text: string, fileName: string): readonly ResultLine[] =>
  text
    .split("\n")
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== "")
    .map(({ line, number }) => {
      const value: unknown = JSON.parse(line);
      if (!isResultLine(value)) throw new Error(`${fileName}:${number} is no line of results`);
      return value;
    });
