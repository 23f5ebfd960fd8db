// A schedule gets another timing. Its type and its input are code, and stay as they are.
import type { Schedule, ScheduleOverlap, ScheduleTiming } from "../public-types/schedules.ts";

/** The change of a schedule. A declaration in code replaces it when the declaration itself changes. */
export interface EditedSchedule {
  readonly name: string;
  /** Replaces the timing. Left out, with `everyMs`: the timing stays. */
  readonly cron?: string | undefined;
  /** That of `cron`. Default: as it is. */
  readonly timeZone?: string | undefined;
  /** Replaces the timing. */
  readonly everyMs?: number | undefined;
  /** Default: as it is. */
  readonly overlap?: ScheduleOverlap | undefined;
}

/** The methods of a client that an edit calls. */
export interface EditingClient {
  listSchedules(options: {
    readonly names: readonly string[];
  }): Promise<{ readonly items: readonly Schedule[] }>;
  upsertSchedules(options: { readonly schedules: readonly object[] }): Promise<readonly unknown[]>;
}

/** Returns false if no schedule has the name. */
export const editSchedule = async (
  client: EditingClient,
  edited: EditedSchedule,
): Promise<boolean> => {
  const [stored] = (await client.listSchedules({ names: [edited.name] })).items;
  if (stored === undefined) return false;
  const { name, typeName, input, priority, catchUp, graceMs, jitterMs, startsAt, endsAt } = stored;
  await client.upsertSchedules({
    schedules: [
      {
        ...{ name, typeName, input, priority, catchUp, graceMs, jitterMs },
        ...(startsAt !== null && { startsAt }),
        ...(endsAt !== null && { endsAt }),
        ...timingOf(stored, edited),
        overlap: edited.overlap ?? stored.overlap,
      },
    ],
  });
  return true;
};

/** Both kinds of timing at once are refused by the client. */
const timingOf = (
  stored: Schedule,
  { cron, timeZone = stored.timeZone, everyMs }: EditedSchedule,
): ScheduleTiming | object => {
  if (cron !== undefined) return { cron, timeZone, ...(everyMs !== undefined && { everyMs }) };
  if (everyMs !== undefined) return { everyMs, anchor: stored.anchor };
  return stored.cron === null
    ? { everyMs: stored.everyMs, anchor: stored.anchor }
    : { cron: stored.cron, timeZone };
};
