// Step 4 of the page, continued: types are paused.
import type { Data, Database, Method } from "./snapshot.ts";

/** The name of the pause of every type. */
const everyType = "";

export const pause =
  (database: Database): Method<"pause"> =>
  async ({ targets, forMs, note, extends: isExtension = false }) =>
    database.write(undefined, (data, now) => {
      const until = forMs === null ? null : now + forMs;
      for (const { typeName } of targets) {
        const name = typeName ?? everyType;
        const isLater = endOf(data, name, now) >= (until ?? Infinity);
        if (!(isExtension && isLater)) data.pauses[name] = { pausedAt: now, until, note };
      }
    });

export const resume =
  (database: Database): Method<"resume"> =>
  async ({ targets }) =>
    database.write(undefined, (data, now) =>
      targets.map(({ typeName }) => {
        const wasPaused = endOf(data, typeName ?? everyType, now) > now;
        delete data.pauses[typeName ?? everyType];
        return wasPaused;
      }),
    );

export const getPauses =
  (database: Database): Method<"getPauses"> =>
  async () =>
    database.read(undefined, (data, now) =>
      Object.entries(data.pauses)
        .filter(([name]) => endOf(data, name, now) > now)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, { pausedAt, until, note }]) => ({
          typeName: name === everyType ? null : name,
          pausedAt: new Date(pausedAt),
          until: until === null ? null : new Date(until),
          note,
        })),
    );

const endOf = (data: Data, name: string, now: number): number => {
  const paused = data.pauses[name];
  return paused === undefined ? now : (paused.until ?? Infinity);
};

/** When the jobs of a type can be acquired: now, or at the end of its pauses. */
export const acquirableAt = (data: Data, typeName: string, now: number): number =>
  Math.max(now, endOf(data, typeName, now), endOf(data, everyType, now));
