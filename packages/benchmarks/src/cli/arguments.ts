import { parseArgs } from "node:util";
import { cases } from "../cases/index.ts";
import { participantNames } from "../participants/index.ts";

export interface RunArguments {
  readonly kind: "run";
  /** Empty: all. */
  readonly cases: readonly string[];
  readonly participants: readonly string[];
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly seed: number;
  readonly jsonFile: string | undefined;
  readonly markdownFile: string | undefined;
  /** Given: only so. Left out: 100 in one process, and a full run adds the others. */
  readonly concurrency: number | undefined;
  readonly processCount: number | undefined;
  /** `--jobs`: how many to drain, in place of the usual number. */
  readonly jobs: number | undefined;
  readonly profileFolder: string | undefined;
  /** The title under which RESULTS.md shows the run. */
  readonly store: string | undefined;
  /** A remark for RESULTS.md. */
  readonly note: string | undefined;
  /** How to repeat the run, without its title and its remark. */
  readonly command: string;
}

export interface CompareArguments {
  readonly kind: "compare";
  readonly before: string;
  readonly after: string;
}

export const usage: string = `Usage
  pnpm bench [--node 20|22|24|26] [--case <name>…] [--participant <name>…] [--quick] [--rounds <n>] [--seed <n>]
             [--concurrency <n>] [--processes <n>] [--jobs <n>] [--json <file>] [--markdown <file>] [--profile <folder>]
             [--store <title> [--note <text>]]
  pnpm bench compare <old.jsonl> <new.jsonl>

Cases: ${cases.map(({ name }) => name).join(", ")}, footprint
Participants: ${participantNames.join(", ")}
`;

export class UsageError extends Error {}

const options = {
  case: { type: "string", multiple: true, default: [] as string[] },
  participant: { type: "string", multiple: true, default: [] as string[] },
  quick: { type: "boolean", default: false },
  rounds: { type: "string" },
  seed: { type: "string" },
  concurrency: { type: "string" },
  processes: { type: "string" },
  jobs: { type: "string" },
  json: { type: "string" },
  markdown: { type: "string" },
  profile: { type: "string" },
  store: { type: "string" },
  note: { type: "string" },
} as const;

const roundsDefault = { quick: 3, full: 5 };

const toCount = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new UsageError(`--${name} takes a whole number above zero, not "${text}"`);
};

/** @throws UsageError, which names the mistake. */
export const parseArguments = (given: readonly string[]): RunArguments | CompareArguments => {
  // A package manager hands its own separator on.
  const args = given.filter((argument) => argument !== "--");
  if (args[0] === "compare") {
    const [, before, after] = args;
    if (before === undefined || after === undefined || args.length > 3)
      throw new UsageError("compare takes two files");
    return { kind: "compare", before, after };
  }
  const { values } = parse(args);
  const known = [...cases.map(({ name }) => name), "footprint"];
  for (const name of values.case) assertKnown("case", name, known);
  for (const name of values.participant) assertKnown("participant", name, participantNames);
  return {
    kind: "run",
    cases: values.case,
    participants: values.participant,
    isQuick: values.quick,
    rounds:
      toCount("rounds", values.rounds) ?? (values.quick ? roundsDefault.quick : roundsDefault.full),
    seed: toCount("seed", values.seed) ?? (Date.now() % 1_000_000) + 1,
    jsonFile: values.json,
    markdownFile: values.markdown,
    concurrency: toCount("concurrency", values.concurrency),
    processCount: toCount("processes", values.processes),
    jobs: toCount("jobs", values.jobs),
    profileFolder: values.profile,
    store: values.store,
    note: values.note,
    command: toCommand(values),
  };
};

/** The options that change the figures. */
const repeated = ["case", "participant", "concurrency", "processes", "jobs", "quick", "rounds"];

const toCommand = (values: Readonly<Record<string, unknown>>): string => {
  const words = repeated.flatMap((name) => {
    const value = values[name];
    if (value === true) return [`--${name}`];
    const texts = Array.isArray(value) ? value : [value];
    return texts.filter((text) => typeof text === "string").map((text) => `--${name} ${text}`);
  });
  return ["pnpm bench", ...words].join(" ");
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const assertKnown = (what: string, name: string, known: readonly string[]): void => {
  if (!known.includes(name))
    throw new UsageError(`There is no ${what} "${name}"; there are: ${known.join(", ")}`);
};
