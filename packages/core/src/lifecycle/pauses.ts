// Operators pause job types, limits, or everything: nothing of them is acquired until they are resumed. Workers that hold jobs
// which have not begun hand them back: at once if they are notified, else within a second.
import type { PauseTarget } from "../adapters/state-adapter-params.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertElementCount, assertName, assertPositiveMs } from "../model/assert-option.ts";
import type { Pause, ResumeResult } from "../public-types/pause.ts";
import type { RescheduledScope } from "../reschedule-error.ts";
import { assertLimitName } from "./check-limit.ts";
import { pauseKeyOf, pauseLimitKeys, resumeLimitKeys } from "./limit-keys.ts";
import { countByType, notifyWaiting } from "./notify-waiting.ts";

/** In place of a job's id, on the topic of lost leases: every notify adapter carries it. */
export const pausesChangedName = "queuert:pauses-changed";

export interface PauseOptions {
  readonly jobTypes?: readonly string[] | undefined;
  readonly everything?: boolean | undefined;
  readonly limit?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly forMs?: number | undefined;
  readonly note?: string | undefined;
}

export const pause = async (engine: Engine, options: PauseOptions): Promise<void> => {
  const { forMs = null, note = null } = options;
  if (forMs !== null) assertPositiveMs(forMs, "forMs");
  if (note !== null) assertName(note, "note", limits.pauseNoteLengthMax);
  if (namesKeys(options)) return pauseLimitKeys(engine, options, forMs, note);
  const targets = toTargets(engine, options);
  engine.nesting.assertOutside("pause");
  await engine.state.pause({ targets, forMs, note });
  engine.notifier.ownershipLost([pausesChangedName]);
  engine.observer.emit("jobTypesPaused", () => ({ typeNames: namesOf(targets), forMs, note }));
};

/** Ends pauses, and notifies idle workers of the jobs that have been due meanwhile. */
export const resume = async (engine: Engine, options: PauseOptions): Promise<ResumeResult> => {
  if (namesKeys(options)) return { resumed: await resumeLimitKeys(engine, options) };
  const targets = toTargets(engine, options);
  engine.nesting.assertOutside("resume");
  const results = await engine.state.resume({ targets });
  const resumed = targets.filter((_, index) => results[index] === true);
  if (resumed.length > 0) {
    engine.observer.emit("jobTypesResumed", () => ({ typeNames: namesOf(resumed) }));
    const isAll = resumed.some(({ typeName }) => typeName === null);
    const names = resumed.flatMap(({ typeName }) => typeName ?? []);
    await notifyWaiting(engine, isAll ? null : engine.jobTypeLimits.typesUnder(names));
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

/** `rescheduleJob` with `pauses`: no other job of the scope starts before that. A pause that ends later stays. */
export const pauseScopeOf = async (
  engine: Engine,
  job: { readonly typeName: string; readonly input: string },
  { scope, forMs }: { readonly scope: RescheduledScope; readonly forMs: number },
): Promise<void> => {
  if (scope === "key") return pauseKeyOf(engine, job, forMs);
  const typeName = scope === "limit" ? engine.jobTypeLimits.limitOf(job.typeName) : job.typeName;
  await engine.state.pause({ targets: [{ typeName }], forMs, note: null, extends: true });
  engine.notifier.ownershipLost([pausesChangedName]);
  engine.observer.emit("jobTypesPaused", () => ({ typeNames: [typeName], forMs, note: null }));
};

/** Whether keys of a limit are meant. */
const namesKeys = ({ limit, keys, jobTypes, everything }: PauseOptions): boolean => {
  if (limit === undefined && keys === undefined) return false;
  if (jobTypes === undefined && everything === undefined) return keys !== undefined;
  throw new InvalidOptionError("limit", limit, "give either a `limit`, or job types");
};

const toTargets = (
  engine: Engine,
  { jobTypes, everything, limit }: PauseOptions,
): readonly PauseTarget[] => {
  if (limit !== undefined) {
    assertName(limit, "limit");
    assertLimitName(engine, limit);
    return [{ typeName: limit }];
  }
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
