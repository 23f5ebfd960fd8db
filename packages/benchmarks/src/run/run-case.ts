// One case: every participant in every round. The order of a round is random. Each runs in fresh
// processes and, except for full tables, in a fresh place on the server.
import type { Case, Round, RoundResult, Sizes } from "../cases/case.ts";
import { loadParticipant } from "../participants/index.ts";
import type { Inspector, Participant } from "../participants/participant.ts";
import { type MeasuredProcess, startMeasuredProcess } from "./measured-process.ts";
import { shuffled } from "./random.ts";
import type { LentTarget, Services } from "./services.ts";

export interface RunOptions {
  readonly services: Services;
  readonly sizes: Sizes;
  readonly rounds: number;
  readonly random: () => number;
  readonly concurrency: number;
  readonly processCount: number;
  /** More flags for measured processes, such as `--cpu-prof`. */
  readonly nodeFlags: readonly string[];
  readonly say: (text: string) => void;
}

export interface ParticipantResult {
  readonly participant: string;
  readonly store: Participant["store"];
  readonly settings: string;
  readonly rounds: readonly RoundResult[];
  readonly error?: string;
}

interface Entrant {
  readonly name: string;
  readonly participant: Participant;
  readonly rounds: RoundResult[];
  filled?: LentTarget;
  error?: string;
}

// Beyond the time of a round itself: opening, warm-up, filling, closing.
const patienceDefaultMs = 300_000;

export const runCase = async (
  aCase: Case,
  names: readonly string[],
  options: RunOptions,
): Promise<readonly ParticipantResult[]> => {
  const entrants: Entrant[] = await Promise.all(
    names.map(async (name) => ({ name, participant: await loadParticipant(name), rounds: [] })),
  );
  for (let index = 0; index < options.rounds; index += 1) {
    for (const entrant of shuffled(entrants, options.random)) {
      if (entrant.error !== undefined) continue;
      const text = `${aCase.name} ${index + 1}/${options.rounds} ${entrant.name}`;
      try {
        const patienceMs = aCase.patienceMs ?? patienceDefaultMs;
        const result = await withinPatience(runRound(aCase, entrant, options), patienceMs);
        entrant.rounds.push(result);
        const [unit = "", value = 0] = Object.entries(result.measured)[0] ?? [];
        options.say(`${text}: ${value.toPrecision(4)} ${unit}`);
      } catch (error) {
        entrant.error = error instanceof Error ? error.message : String(error);
        options.say(`${text}: failed: ${entrant.error}`);
      }
    }
  }
  for (const { filled } of entrants) await filled?.drop();
  return entrants.map(({ name, participant, rounds, error }) => ({
    participant: name,
    store: participant.store,
    settings: participant.settings,
    rounds,
    ...(error !== undefined && { error }),
  }));
};

const withinPatience = async <T>(running: Promise<T>, patienceMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result after ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
};

const lendTarget = async (
  aCase: Case,
  entrant: Entrant,
  { services, sizes, say }: RunOptions,
): Promise<LentTarget & { readonly isPrepared: boolean }> => {
  const { name, participant } = entrant;
  if (entrant.filled !== undefined) return { ...entrant.filled, isPrepared: true };
  const lent = await services.createTarget(name, participant.store);
  if (aCase.fill === undefined) return { ...lent, isPrepared: false };
  if (participant.fill === undefined) throw new Error("its table cannot be filled from outside");
  // Stays for all rounds of the case.
  entrant.filled = lent;
  say(`${aCase.name}: fills the table of ${name}`);
  await participant.prepare(lent.target);
  await participant.fill(lent.target, aCase.fill(sizes));
  return { ...lent, isPrepared: true };
};

const runRound = async (
  aCase: Case,
  entrant: Entrant,
  options: RunOptions,
): Promise<RoundResult> => {
  const { name, participant } = entrant;
  const { target, drop, isPrepared } = await lendTarget(aCase, entrant, options);
  const processes: MeasuredProcess[] = [];
  let inspector: Inspector | undefined;
  const round: Round = {
    name,
    participant,
    target,
    sizes: participant.isSlow === true ? tenth(options.sizes) : options.sizes,
    concurrency: options.concurrency,
    processCount: options.processCount,
    openProcess: async () => {
      const prepare = processes.length === 0 && !isPrepared;
      const process = startMeasuredProcess(options.nodeFlags);
      processes.push(process);
      const { payloadBytes } = aCase;
      await process.ask("open", { participant: name, target, prepare, payloadBytes });
      return process;
    },
    inspect: async () =>
      (inspector ??= participant.isPrivate
        ? inspectThrough(processes)
        : await participant.inspect(target)),
  };
  try {
    return await aCase.measure(round);
  } finally {
    await inspector?.close();
    await Promise.all(processes.map((process) => process.close()));
    if (entrant.filled === undefined) await drop();
  }
};

const tenth = (sizes: Sizes): Sizes => ({
  ...sizes,
  drainJobs: Math.ceil(sizes.drainJobs / 10),
  warmUpJobs: Math.ceil(sizes.warmUpJobs / 10),
  bulkStarts: Math.ceil(sizes.bulkStarts / 10),
  memoryJobs: Math.ceil(sizes.memoryJobs / 10),
});

const inspectThrough = ([process]: readonly MeasuredProcess[]): Inspector => {
  if (process === undefined) throw new Error("There is no process to look through yet");
  return {
    unfinishedCount: () => process.ask("unfinishedCount", {}),
    drainedAt: () => process.ask("drainedAt", {}),
    writtenCount: async () => undefined,
    settle: async () => {},
    close: async () => {},
  };
};
