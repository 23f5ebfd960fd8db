// Operators pause job types, or everything: nothing of them is acquired until they are resumed. Workers that hold jobs
// which have not begun hand them back within a second.
import type { PauseTarget } from "../adapters/state-adapter-params.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertElementCount, assertName, assertPositiveMs } from "../model/assert-option.ts";
import type { Pause, ResumeResult } from "../public-types/pause.ts";

export interface PauseOptions {
  readonly jobTypes?: readonly string[] | undefined;
  readonly everything?: boolean | undefined;
  readonly forMs?: number | undefined;
  readonly note?: string | undefined;
}

export const pause = async (engine: Engine, options: PauseOptions): Promise<void> => {
  const targets = toTargets(engine, options);
  const { forMs = null, note = null } = options;
  if (forMs !== null) assertPositiveMs(forMs, "forMs");
  if (note !== null) assertName(note, "note", limits.pauseNoteLengthMax);
  engine.nesting.assertOutside("pause");
  await engine.state.pause({ targets, forMs, note });
  engine.observer.emit("jobTypesPaused", () => ({ typeNames: namesOf(targets), forMs, note }));
};

/** Ends pauses, and notifies idle workers of the jobs that have been due meanwhile. */
export const resume = async (engine: Engine, options: PauseOptions): Promise<ResumeResult> => {
  const targets = toTargets(engine, options);
  engine.nesting.assertOutside("resume");
  const results = await engine.state.resume({ targets });
  const resumed = targets.filter((_, index) => results[index] === true);
  if (resumed.length > 0) {
    engine.observer.emit("jobTypesResumed", () => ({ typeNames: namesOf(resumed) }));
    await notifyWaiting(engine, resumed);
  }
  return { resumed: resumed.length };
};

/** The pauses that have not ended, each with the number of jobs that are still running. */
export const getPauses = async ({ state }: Engine): Promise<readonly Pause[]> => {
  const pauses = await state.getPauses();
  if (pauses.length === 0) return [];
  const running = await countByType({ state }, "running");
  let all = 0;
  for (const count of running.values()) all += count;
  return pauses.map(({ typeName, pausedAt, until, note }): Pause => {
    const runningCount = typeName === null ? all : (running.get(typeName) ?? 0);
    const state = runningCount > 0 ? "pausing" : "paused";
    return { jobType: typeName, pausedAt, until, note, state, runningCount };
  });
};

const toTargets = (
  engine: Engine,
  { jobTypes, everything }: PauseOptions,
): readonly PauseTarget[] => {
  if (everything !== undefined && everything !== true) {
    throw new InvalidOptionError("everything", everything, "give true, or leave it out");
  }
  if ((jobTypes === undefined) === (everything === undefined)) {
    const remedy = "give either `jobTypes` or `everything: true`";
    throw new InvalidOptionError("jobTypes", jobTypes, remedy);
  }
  if (jobTypes === undefined) return [{ typeName: null }];
  if (!Array.isArray(jobTypes)) {
    throw new InvalidOptionError("jobTypes", jobTypes, "give an array of job types");
  }
  assertElementCount(jobTypes, "jobTypes");
  if (jobTypes.length === 0) {
    throw new InvalidOptionError("jobTypes", jobTypes, "name at least one job type");
  }
  for (const typeName of jobTypes) {
    assertName(typeName, "jobTypes");
    engine.registry.assertKnown(typeName);
  }
  return jobTypes.map((typeName) => ({ typeName }));
};

const namesOf = (targets: readonly PauseTarget[]): readonly (string | null)[] =>
  targets.map(({ typeName }) => typeName);

const countByType = async (
  { state }: Pick<Engine, "state">,
  status: "pending" | "running",
): Promise<ReadonlyMap<string, number>> => {
  const { counts } = await state.summarize({ runningLongMs: 0 });
  return new Map(
    counts.flatMap((one) => (one.status === status ? [[one.typeName, one.count] as const] : [])),
  );
};

/** If the store does not answer, polling finds the jobs: the pauses have ended all the same. */
const notifyWaiting = async (
  { state, effects }: Engine,
  resumed: readonly PauseTarget[],
): Promise<void> => {
  const waiting = await countByType({ state }, "pending").catch(() => null);
  const isAll = resumed.some(({ typeName }) => typeName === null);
  const names = isAll ? [...(waiting?.keys() ?? [])] : resumed.flatMap((one) => one.typeName ?? []);
  const buffer = effects.create();
  for (const typeName of names) buffer.jobScheduled(typeName, waiting?.get(typeName) ?? 1);
  buffer.flush();
};
