import type { Database, InProcessMethod } from "../database.ts";
import { compareNames } from "../schedule-tables.ts";

export const listSchedules =
  (database: Database): InProcessMethod<"listSchedules"> =>
  async ({ context, names, isDeclared, afterName, limit }) =>
    database.read(context, "listSchedules", ({ scheduling }, view) =>
      [...scheduling.schedules.rows(view)]
        .filter((schedule) => names === null || names.includes(schedule.name))
        .filter((schedule) => isDeclared === null || schedule.isDeclared === isDeclared)
        .filter(({ name }) => afterName === null || compareNames(name, afterName) > 0)
        .sort((one, other) => compareNames(one.name, other.name))
        .slice(0, Math.max(0, limit))
        .map((schedule) => ({ ...schedule })),
    );
