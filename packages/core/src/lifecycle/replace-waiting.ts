// A start whose key is held by a job that waits, with the strategy `"pending"`. The job is changed as the start says. It stays
// locked until the commit, so a worker that runs it afterwards sees the writes of the transaction. The key is locked as well,
// so no other start comes in between.
import type { CreatedStateJob, NewEntryJob } from "../adapters/state-adapter-params.ts";
import type { UpdateJobsParams } from "../adapters/state-adapter-updates.ts";
import type { Engine } from "../engine.ts";
import { type DeduplicationOptions, replacedFields } from "../model/deduplication.ts";
import type { KeyedStarts } from "./replace-taken.ts";

type Update = UpdateJobsParams<object, string>["jobs"][number];

/** A start, as its caller learns of it. */
export interface StartedJob extends CreatedStateJob {
  /** It has overwritten a field of a job that waits. */
  readonly replaced?: boolean | undefined;
}

/** Returns the results of `createJobs` for these starts. A job that has begun meanwhile is left, and another is stored. */
export const replaceWaiting = async (
  engine: Engine,
  context: object | undefined,
  { sequences, jobs }: KeyedStarts,
  found: readonly CreatedStateJob[],
): Promise<readonly StartedJob[]> => {
  const waiting = found.flatMap(({ deduplicated }, index) =>
    deduplicated && jobs[index]?.deduplication?.strategy === "pending" ? [index] : [],
  );
  // A start with a key is in a transaction always.
  if (waiting.length === 0 || context === undefined) return found;
  const updates = new Map<string, Update>();
  for (const index of waiting) {
    const [held, job] = [found[index], jobs[index]];
    if (held === undefined || job === undefined) continue;
    // Of several starts in one call, the last one counts.
    const update = toUpdate(held.job.id, job, sequences[index]?.deduplication);
    updates.set(held.job.id, merge(updates.get(held.job.id), update));
  }
  const elements = [...updates.values()];
  const results = await engine.state.updateJobs({ context, jobs: elements });
  const updated = new Map(
    results.flatMap((result) => (result.kind === "updated" ? [[result.job.id, result.job]] : [])),
  );
  const begun = waiting.filter((index) => !updated.has(found[index]?.job.id ?? ""));
  const again = begun.flatMap((index) => jobs[index] ?? []);
  const created = again.length === 0 ? [] : await engine.state.createJobs({ context, jobs: again });
  const anew = new Map(begun.map((index, place) => [index, created[place]]));
  return found.map((one, index) => {
    const job = updated.get(one.job.id);
    const replaced = one.deduplicated && replaces(sequences[index]?.deduplication);
    return anew.get(index) ?? (job === undefined ? one : { ...one, job, replaced });
  });
};

const replaces = ({ replaces: fields }: DeduplicationOptions = { key: "" }): boolean =>
  fields === true || (fields !== undefined && fields.length > 0);

const toUpdate = (
  id: string,
  { input, schedule, priority, limitKey }: NewEntryJob,
  { replaces = [], maxWaitMs }: DeduplicationOptions = { key: "" },
): Update => {
  const fields = replaces === true ? replacedFields : replaces;
  const reschedules = fields.includes("schedule");
  return {
    id,
    input: fields.includes("input") ? input : null,
    limitKey: fields.includes("input") ? (limitKey ?? null) : undefined,
    // A start without a schedule is due now.
    schedule: reschedules ? (schedule ?? { afterMs: 0 }) : null,
    priority: fields.includes("priority") ? priority : null,
    dueWithinMs: reschedules ? (maxWaitMs ?? null) : null,
  };
};

const merge = (earlier: Update | undefined, later: Update): Update =>
  earlier === undefined
    ? later
    : {
        id: later.id,
        input: later.input ?? earlier.input,
        limitKey: later.input === null ? earlier.limitKey : later.limitKey,
        schedule: later.schedule ?? earlier.schedule,
        priority: later.priority ?? earlier.priority,
        dueWithinMs: later.schedule === null ? earlier.dueWithinMs : later.dueWithinMs,
      };
