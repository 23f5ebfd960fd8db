// Starts of jobs without a worker: in transactions of their own by a few concurrent callers, or a
// thousand at once.
import type { Round, RoundResult } from "./case.ts";

const bulkSize = 1_000;

const assertStored = async ({ inspect }: Round, expected: number): Promise<void> => {
  const stored = await (await inspect()).unfinishedCount();
  if (stored !== expected) throw new Error(`${expected} jobs were started, ${stored} are there`);
};

/** `inTransaction`: together with a row of the user, in the user's transaction. */
export const measureStarts = async (
  round: Round,
  callers: number,
  inTransaction = false,
): Promise<RoundResult> => {
  const process = await round.openProcess();
  const warmUp = round.sizes.warmUpStarts;
  await process.ask("startSingly", { count: warmUp, callers, inTransaction });
  await (await round.inspect()).settle();
  const count = round.sizes.starts * Math.min(callers, 4);
  const ms = await process.ask("startSingly", { count, callers, inTransaction });
  await assertStored(round, warmUp + count);
  return { measured: { "jobs/s": (count * 1_000) / ms } };
};

export const measureBulkStarts = async (round: Round): Promise<RoundResult> => {
  const process = await round.openProcess();
  const atOnce = Math.min(bulkSize, round.sizes.bulkStarts);
  const warmUp = round.sizes.warmUpBulks * atOnce;
  await process.ask("startBulk", { count: warmUp, atOnce });
  await (await round.inspect()).settle();
  const count = round.sizes.bulkStarts;
  const ms = await process.ask("startBulk", { count, atOnce });
  await assertStored(round, warmUp + count);
  return { measured: { "jobs/s": (count * 1_000) / ms } };
};
