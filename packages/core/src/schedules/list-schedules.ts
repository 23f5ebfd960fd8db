// Pages of schedules and of their ticks. The cursor of a page names its place.
import type { TickPlace } from "../adapters/state-adapter-schedules.ts";
import { defaults, limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidCursorError, InvalidOptionError } from "../errors.ts";
import { assertInteger, assertName } from "../model/assert-option.ts";
import type { Page, PageOrder } from "../model/page.ts";
import { assertInstant } from "../model/schedule.ts";
import type { Schedule, ScheduleTick } from "../public-types/schedules.ts";
import { assertNames } from "./hold-schedules.ts";
import { fromStateSchedule, toSchedule, toScheduleTick } from "./stored-schedule.ts";

export interface ListSchedulesOptions {
  readonly names?: unknown;
  readonly isDeclared?: unknown;
  readonly limit?: number | undefined;
  readonly cursor?: string | null | undefined;
}

export const listSchedules = async (
  { state, codec }: Engine,
  context: object | undefined,
  { names, isDeclared, limit = defaults.listLimit, cursor }: ListSchedulesOptions,
): Promise<Page<Schedule>> => {
  if (names !== undefined) assertNames(names);
  if (isDeclared !== undefined && typeof isDeclared !== "boolean") {
    throw new InvalidOptionError("isDeclared", isDeclared, "give true or false");
  }
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  const place = decode(cursor, "schedules");
  if (place !== null && typeof place[0] !== "string") throw new InvalidCursorError();
  const found = await state.listSchedules({
    context,
    names: names ?? null,
    isDeclared: isDeclared ?? null,
    afterName: place === null ? null : String(place[0]),
    limit,
  });
  const last = found.at(-1);
  const isLast = found.length < limit || last === undefined;
  return {
    items: found.map((schedule) => toSchedule(codec, fromStateSchedule(schedule))),
    nextCursor: isLast ? null : encode("schedules", [last.name]),
  };
};

export interface ListTicksOptions {
  readonly name?: unknown;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly order?: PageOrder | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | null | undefined;
}

export const listScheduleTicks = async (
  { state }: Engine,
  context: object | undefined,
  { name, from, to, order = "desc", limit = defaults.listLimit, cursor }: ListTicksOptions,
): Promise<Page<ScheduleTick>> => {
  assertName(name, "name");
  if (from !== undefined) assertInstant(from, "from");
  if (to !== undefined) assertInstant(to, "to");
  if (order !== "asc" && order !== "desc") {
    throw new InvalidOptionError("order", order, 'give "asc" or "desc"');
  }
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  const list = `ticks ${order}`;
  const found = await state.listScheduleTicks({
    context,
    scheduleName: name,
    from: from ?? null,
    to: to ?? null,
    after: toPlace(decode(cursor, list)),
    order,
    limit,
  });
  const last = found.at(-1);
  const isLast = found.length < limit || last === undefined;
  return {
    items: found.map(toScheduleTick),
    nextCursor: isLast ? null : encode(list, [last.tickAt.getTime(), last.kind === "manual"]),
  };
};

const toPlace = (place: readonly unknown[] | null): TickPlace | null => {
  if (place === null) return null;
  const [at, isManual] = place;
  if (typeof at !== "number" || !Number.isSafeInteger(at) || typeof isManual !== "boolean") {
    throw new InvalidCursorError();
  }
  return { tickAt: new Date(at), isManual };
};

const encode = (list: string, place: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([1, list, ...place])).toString("base64url");

const decode = (cursor: unknown, list: string): readonly unknown[] | null => {
  if (cursor === null || cursor === undefined) return null;
  if (typeof cursor !== "string") throw new InvalidCursorError();
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch (error) {
    throw new InvalidCursorError({}, { cause: error });
  }
  if (!Array.isArray(parts) || parts[0] !== 1 || parts[1] !== list) throw new InvalidCursorError();
  return parts.slice(2) as readonly unknown[];
};
