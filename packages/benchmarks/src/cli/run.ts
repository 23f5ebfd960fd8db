// A run: the cases one after another, each printed as soon as it is known, all written to the files at the end.
import { writeFileSync } from "node:fs";
import type { Case } from "../cases/case.ts";
import { cases, variantParticipants } from "../cases/index.ts";
import { footprintName, measureFootprint } from "../footprint/footprint.ts";
import { loadParticipant } from "../participants/index.ts";
import { toBreakdown, toBreakdownTable, toSettings, toTable } from "../report/markdown.ts";
import {
  describeDurability,
  describeMachine,
  describeMoment,
  type Facts,
  toFactLines,
} from "../report/machine.ts";
import type { ResultLine } from "../report/result-line.ts";
import { toLines } from "../report/to-lines.ts";
import { createRandom } from "../run/random.ts";
import { type ParticipantResult, runCase, type RunOptions } from "../run/run-case.ts";
import { createServices, type Services } from "../run/services.ts";
import { fullSizes, quickSizes } from "../run/sizes.ts";
import { type StoredTable, storeRun } from "../results/stored-run.ts";
import type { RunArguments } from "./arguments.ts";

const concurrencyDefault = 100;

/** A case under one of its settings; the name says which, unless they are the usual ones. */
interface Planned {
  readonly name: string;
  readonly aCase: Case;
  readonly participants: readonly string[];
  readonly concurrency: number;
  readonly processCount: number;
}

const settingsOf = (aCase: Case, args: RunArguments): readonly (readonly [number, number])[] => {
  const { concurrency, processCount, isQuick } = args;
  const isGiven = concurrency !== undefined || processCount !== undefined;
  if (isGiven || isQuick || aCase.hasVariants !== true || args.participants.length > 0)
    return [[concurrency ?? concurrencyDefault, processCount ?? 1]];
  return [1, 2].flatMap((processes) => [100, 10, 1].map((each) => [each, processes] as const));
};

const plan = (args: RunArguments): readonly Planned[] =>
  cases
    .filter(({ name }) => args.cases.length === 0 || args.cases.includes(name))
    .flatMap((aCase) =>
      settingsOf(aCase, args).map(([concurrency, processCount]): Planned => {
        const isUsual = concurrency === concurrencyDefault && processCount === 1;
        const isVariant = !isUsual && args.participants.length === 0;
        const participants =
          args.participants.length > 0
            ? args.participants
            : aCase.participants.filter((name) => !isVariant || variantParticipants.includes(name));
        const name = isUsual ? aCase.name : `${aCase.name}:c${concurrency}-p${processCount}`;
        return { name, aCase, participants, concurrency, processCount };
      }),
    );

/**
 * The participants that support the case: a queue without chains takes no part in the race of
 * chains.
 */
const able = async ({ aCase, participants, processCount }: Planned): Promise<readonly string[]> => {
  const { workload } = aCase;
  const kept: string[] = [];
  for (const name of participants) {
    const participant = await loadParticipant(name);
    const hasWorkload = workload === undefined || participant.workloads.includes(workload);
    const canShare = processCount === 1 || participant.isPrivate !== true;
    if (hasWorkload && canShare) kept.push(name);
  }
  return kept;
};

const sizesOf = ({ isQuick, jobs }: RunArguments): typeof fullSizes => {
  const sizes = isQuick ? quickSizes : fullSizes;
  if (jobs === undefined) return sizes;
  return {
    ...sizes,
    drainJobs: jobs,
    heldJobs: jobs,
    memoryJobs: jobs,
    bulkStarts: jobs,
    warmUpJobs: Math.ceil(jobs / 10),
  };
};

export interface RunReport {
  readonly lines: readonly ResultLine[];
  readonly markdown: string;
}

export const run = async (
  args: RunArguments,
  print: (text: string) => void,
  say: (text: string) => void,
): Promise<RunReport> => {
  const services = createServices();
  const random = createRandom(args.seed);
  const parts: string[] = [];
  const add = (text: string): void => {
    if (text === "") return;
    parts.push(text);
    print(text);
  };
  try {
    const planned = plan(args);
    const facts = { ...describeMachine(), ...(await durabilityOf(planned, services)) };
    add(`Seed ${args.seed}, ${args.rounds} rounds\n\n${describeMoment()}\n${toFactLines(facts)}`);
    const tables: StoredTable[] = [];
    const lines: ResultLine[] = [];
    const settled: ParticipantResult[] = [];
    for (const one of planned) {
      const options: RunOptions = {
        services,
        sizes: sizesOf(args),
        rounds: args.rounds,
        random,
        concurrency: one.concurrency,
        processCount: one.processCount,
        nodeFlags:
          args.profileFolder === undefined
            ? []
            : ["--cpu-prof", `--cpu-prof-dir=${args.profileFolder}`],
        say,
      };
      const results = await runCase(one.aCase, await able(one), options);
      const caseLines = toLines(one.name, results);
      lines.push(...caseLines);
      settled.push(...results);
      const breakdown = toBreakdown(results);
      tables.push(toStoredTable(one.name, caseLines, breakdown));
      const below = breakdown === undefined ? "" : toBreakdownTable(breakdown);
      add(`${toTable(one.name, caseLines)}\n${below}`);
    }
    if (args.cases.length === 0 || args.cases.includes(footprintName)) {
      const footprint = toLines(
        footprintName,
        await measureFootprint(services, args.rounds, args.isQuick),
      );
      lines.push(...footprint);
      tables.push(toStoredTable(footprintName, footprint));
      add(toTable(footprintName, footprint));
    }
    if (settled.length > 0) add(toSettings(settled));
    const markdown = parts.join("\n");
    writeFiles(args, lines, markdown);
    if (args.store !== undefined) store(args, args.store, { facts, tables, settled });
    return { lines, markdown };
  } finally {
    await services.close();
  }
};

const durabilityOf = async (planned: readonly Planned[], services: Services): Promise<Facts> => {
  const names = new Set(planned.flatMap(({ participants }) => participants));
  const stores = await Promise.all(
    [...names].map(async (name) => (await loadParticipant(name)).store),
  );
  return describeDurability(services, new Set(stores));
};

const writeFiles = (
  { jsonFile, markdownFile }: RunArguments,
  lines: readonly ResultLine[],
  markdown: string,
): void => {
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  if (markdownFile !== undefined) writeFileSync(markdownFile, `${markdown}\n`);
};

const toStoredTable = (
  name: string,
  lines: readonly ResultLine[],
  breakdown?: StoredTable["breakdown"],
): StoredTable => ({
  case: name,
  lines: lines.map(({ case: _case, ...line }) => line),
  ...(breakdown !== undefined && { breakdown }),
});

const store = (
  { command, seed, note }: RunArguments,
  title: string,
  {
    facts,
    tables,
    settled,
  }: {
    readonly facts: Facts;
    readonly tables: readonly StoredTable[];
    readonly settled: readonly ParticipantResult[];
  },
): void =>
  storeRun({
    ...{ title, command, seed, note, facts, tables },
    date: new Date().toISOString().slice(0, 10),
    settings: Object.fromEntries(
      settled.map(({ participant, settings }) => [participant, settings]),
    ),
  });
