// Moves a schedule in time, so that a case waits for no clock: its next tick is set to an instant of the past.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { ScheduleTick } from "../../public-types/schedules.ts";
import { eventually } from "../waiting.ts";
import type { BehaviourCaseContext } from "./behaviour-case.ts";
import type { BehaviourClient } from "./behaviour-client.ts";

export const minuteMs = 60_000;
export const hourMs: number = 60 * minuteMs;

/** The last full hour, by the clock of this process. */
export const lastHour = (): Date => new Date(Math.floor(Date.now() / hourMs) * hourMs);

/** Changes the stored definition, and looks at it at once. */
export const redefine = async (
  adapter: AnyStateAdapter,
  name: string,
  change: (definition: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> =>
  adapter.runInTransaction(async (context) => {
    const { schedules } = await adapter.lockSchedules({ context, names: [name] });
    const [schedule] = schedules;
    if (schedule === undefined) throw new Error(`No schedule ${name}`);
    const definition = change(JSON.parse(schedule.definition) as Record<string, unknown>);
    await adapter.writeSchedules({
      context,
      schedules: [
        {
          schedule: {
            ...schedule,
            lookAt: definition["pausedAt"] === null ? new Date(0) : null,
            definition: JSON.stringify(definition),
          },
          isNew: false,
        },
      ],
    });
  });

/** As if no worker had run since this instant, which is the next tick. */
export const sleepSince = (adapter: AnyStateAdapter, name: string, nextAt: Date): Promise<void> =>
  redefine(adapter, name, (definition) => ({ ...definition, nextAt: nextAt.getTime() }));

/** A schedule for every hour. */
export const hourly: {
  readonly name: "hourly";
  readonly typeName: "task";
  readonly input: "report";
  readonly cron: "0 * * * *";
} = { name: "hourly", typeName: "task", input: "report", cron: "0 * * * *" };

/** A graceful schedule is never late. */
export const onTime: { readonly graceMs: number } = { graceMs: 10 * 24 * hourMs };

/** Stores a schedule for every hour whose next tick is so many hours ago. */
export const storeHourly = async (
  client: BehaviourClient,
  { stateAdapter }: Pick<BehaviourCaseContext, "stateAdapter">,
  options: object = {},
  hoursAgo = 0,
): Promise<Date> => {
  // No instant of the real time comes in between.
  const endsAt = new Date(lastHour().getTime() + minuteMs);
  const schedules = [{ ...hourly, endsAt, ...options }] as const;
  await client.transact((context) => client.queuert.upsertSchedules({ ...context, schedules }));
  const nextAt = new Date(lastHour().getTime() - hoursAgo * hourMs);
  await sleepSince(stateAdapter, "hourly", nextAt);
  return nextAt;
};

/** Every tick of a schedule, oldest first. */
export const history = async (
  { queuert }: BehaviourClient,
  name: string,
): Promise<readonly ScheduleTick[]> =>
  (await queuert.listScheduleTicks({ name, order: "asc", limit: 1_000 })).items;

/** Resolves with the ticks of a schedule once there are so many. */
export const untilTicks = (
  client: BehaviourClient,
  name: string,
  count: number,
): Promise<readonly ScheduleTick[]> =>
  eventually(async () => {
    const ticks = await history(client, name);
    return ticks.length >= count ? ticks : undefined;
  }, `${count} ticks of ${name}`);

/** The number of ticks by outcome. */
export const countOutcomes = (ticks: readonly ScheduleTick[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { outcome } of ticks) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};
