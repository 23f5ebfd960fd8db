// Ids that the caller gives. A start with the id of a stored sequence finds it, as a start whose key is held does.
import type { CreatedStateJob, NewEntryJob } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, JobIdTakenError } from "../errors.ts";
import { assertName } from "../model/assert-option.ts";
import type { StartOptions } from "./start-sequences.ts";

/** Checked before the first write. Which texts are ids is known to the store. */
export const assertGivenId = ({ id, deduplication }: StartOptions): void => {
  if (id === undefined) return;
  assertName(id, "id");
  if (deduplication === undefined) return;
  const remedy = "an id and a deduplication key could name two sequences: give one of the two";
  throw new InvalidOptionError("id", id, remedy);
};

/** Refuses a start whose id belongs to a job of another type, or to a later job of a sequence. */
export const refuseTakenIds = async (
  engine: Engine,
  context: object | undefined,
  jobs: readonly NewEntryJob[],
  found: readonly CreatedStateJob[],
): Promise<void> => {
  const taken = found.find(({ job, deduplicated }, index) => {
    const { id, typeName } = jobs[index] ?? {};
    return id !== undefined && deduplicated && (job.position > 0 || job.typeName !== typeName);
  });
  if (taken === undefined) return;
  await undoStarts(engine, context, found);
  throw new JobIdTakenError(taken.job);
};

/** If the caller catches the error of a start and commits, nothing of the call may remain. */
export const undoStarts = async (
  { state }: Engine,
  context: object | undefined,
  found: readonly CreatedStateJob[],
): Promise<void> => {
  // A start that can find a sequence is in a transaction always.
  if (context === undefined) return;
  const rootSequenceIds = found.flatMap(({ job, deduplicated }) =>
    !deduplicated && job.rootSequenceId === job.id ? [job.id] : [],
  );
  // A transaction that is broken already stores nothing.
  await state.deleteSequences({ context, rootSequenceIds }).catch(() => undefined);
};
