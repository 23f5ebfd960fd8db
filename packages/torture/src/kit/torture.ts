// One run: starts and faults, then healing, then quiet, and then the judgement.
import type { AnyStateAdapter, createInProcessStateAdapter } from "queuert";
import { loadClient } from "./load-client.ts";
import { check } from "./options.ts";
import type {
  AnyAdapter,
  TortureOptions,
  TortureReport,
  UntypedOptions,
} from "./torture-options.ts";
import { checkStore, readJobs } from "./check-store.ts";
import { stopMs, World } from "./world.ts";

/**
 * Runs your job types on your store under faults drawn from a seed, and judges the result. Workers are killed and stand still,
 * statements and their answers are lost, and notifications are lost or come twice. Then the faults end, and all jobs must end.
 *
 * @example
 * ```ts
 * const report = await torture({
 *   jobTypeDefinitions: jobTypes,
 *   stateAdapter,
 *   worker: createReportWorker,
 *   start: ({ queuert }) =>
 *     queuert.startJobSequence({ autocommit: true, typeName: "report", input: null }),
 *   seed: 1,
 * });
 * for (const { rule, detail } of report.violations) console.error(`${rule}: ${detail}`);
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const torture = async <
  TDefinitions,
  TStateAdapter extends AnyAdapter = ReturnType<typeof createInProcessStateAdapter>,
>(
  options: TortureOptions<TDefinitions, TStateAdapter>,
): Promise<TortureReport> => {
  // Payload types aside: the run passes inputs and outputs on, and reads none.
  const given = options as unknown as UntypedOptions;
  check(given);
  await loadClient();
  const world = new World(given);
  const run = conduct(world, given);
  if (world.virtual === null) return run;
  let isDone = false;
  const ended = run.finally(() => (isDone = true));
  // Its error is given below.
  ended.catch(() => undefined);
  if (!(await world.virtual.run(() => isDone, longestMs))) {
    const detail = "something waits, and no timer is set: a handler may not wait for real time";
    return world.report([{ rule: "the run ends", detail }], 0);
  }
  return ended;
};

const longestMs = 30 * 24 * 3_600_000;
const lookMs = 100;
const defaultStillMs = 60_000;

const conduct = async (world: World, given: UntypedOptions): Promise<TortureReport> => {
  const { starts = 30, stillMs = defaultStillMs } = given;
  await world.open();
  for (let index = 0; index < starts; index++) {
    world.start(index);
    await world.sleep(world.random.below(150));
    await world.maybeFail();
  }
  await world.settleStarts();
  world.heal();
  await untilQuiet(world, stillMs);
  const isStopped = await world.close();
  const { jobs, edges } = await readJobs(world.store, world.since);
  const own = (await given.check?.()) ?? [];
  const violations = [
    ...checkStore({
      ...{ jobs, edges, attempts: world.attempts.seen, startedIds: world.startedIds },
      running: await permitsOf(world.store),
    }),
    ...own.map((detail) => ({ rule: "your own check", detail })),
    ...(isStopped ? [] : [{ rule: "workers stop", detail: `within ${stopMs} ms` }]),
  ];
  return world.report(violations, jobs.length);
};

const permitsOf = async (store: AnyStateAdapter): Promise<ReadonlyMap<string, number>> =>
  new Map((await store.getLimits({ names: null })).map(({ name, running }) => [name, running]));

/** Until every job has ended, or none has ended for so long. */
const untilQuiet = async (world: World, stillMs: number): Promise<void> => {
  let [endedCount, changedAt] = [-1, world.clock.now()];
  for (;;) {
    const { jobs } = await readJobs(world.store, world.since);
    const open = jobs.filter(({ finishedAt }) => finishedAt === null);
    if (open.length === 0) return;
    const count = jobs.length - open.length;
    if (count !== endedCount) [endedCount, changedAt] = [count, world.clock.now()];
    // A job that is scheduled for later is waited for.
    const dueAt = Math.min(...open.map(({ scheduledAt }) => scheduledAt.getTime()));
    if (world.clock.now() - Math.max(changedAt, dueAt) > stillMs) return;
    await world.sleep(lookMs);
  }
};
