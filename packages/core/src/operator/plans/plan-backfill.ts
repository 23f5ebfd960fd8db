// A plan to start instants of a schedule that lie in the past. It names the range and the timing, so that a schedule that was
// changed since starts nothing else.
import type { Engine } from "../../engine.ts";
import type { ScheduleOverlap } from "../../public-types/schedules.ts";
import { type BackfillLook, backfillStep, readBackfill } from "../../schedules/backfill.ts";
import { checkOverlap } from "../../schedules/check-schedule.ts";
import { quoteText } from "../filter/quote-text.ts";
import { type ActionResult, type FoundUnits, needsCount } from "./actions.ts";
import type { Plan, PlanSettings } from "./plan.ts";
import { createNonce, encodeToken, type PlanContent, type PlannedBackfill } from "./plan-token.ts";

/** A schedule, and a range of the past. */
export interface BackfillRange {
  /** The schedule. */
  readonly name: string;
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive, and not in the future. */
  readonly to: Date;
}

/** The instants of a range. */
export interface BackfillPreview {
  /** Those that were not started yet, or that were missed. */
  readonly count: number;
  /** Those that were started or left out before: they are not started again. */
  readonly handledCount: number;
  /** The first of those that were not started, at most 10. */
  readonly first: readonly Date[];
  /** The last of them; null: there is none. */
  readonly last: Date | null;
}

/** The options of `planBackfill`. */
export interface PlanBackfillOptions extends BackfillRange {
  /** What a tick does while a sequence of the schedule is unfinished. Default: `"allow"`. */
  readonly overlap?: ScheduleOverlap | undefined;
  /** The person or program that plans. Only the same user may apply the plan. Default: none. */
  readonly user?: string | undefined;
}

/** A backfill that was counted and not made. `apply` makes it. */
export interface BackfillPlan extends Omit<Plan, "action"> {
  readonly action: "backfill";
  /** The instants that are started. */
  readonly instants: Pick<BackfillPreview, "first" | "last">;
}

const shownMax = 10;

export const previewBackfill = async (
  engine: Engine,
  { name, from, to }: BackfillRange,
  now: Date,
): Promise<BackfillPreview> => toPreview(await readBackfill(engine, { name, from, to }, now));

const toPreview = ({ open, handled }: BackfillLook): BackfillPreview => {
  const last = open.at(-1);
  return {
    count: open.length,
    handledCount: handled.length,
    first: toDates(open),
    last: last === undefined ? null : new Date(last),
  };
};

const toDates = (instants: readonly number[]): readonly Date[] =>
  instants.slice(0, shownMax).map((at) => new Date(at));

export const planBackfill = async (
  engine: Engine,
  options: PlanBackfillOptions,
  { secret, ttlMs }: Pick<PlanSettings, "secret" | "ttlMs">,
  now: Date,
): Promise<BackfillPlan> => {
  const { name, from, to, user = null } = options;
  const overlap = checkOverlap(options.overlap ?? "allow");
  const look = await readBackfill(engine, { name, from, to }, now);
  const { count, first, last } = toPreview(look);
  const range = { from: from.toISOString(), to: to.toISOString() };
  const expiresAt = Date.now() + ttlMs;
  const content: PlanContent = {
    action: "backfill",
    filter: `schedule:${quoteText(name)} since:${range.from} until:${range.to}`,
    ids: null,
    ordinalMax: 0,
    count,
    user,
    expiresAt,
    nonce: createNonce(),
    backfill: { name, ...range, timing: look.timing, overlap },
  };
  return {
    token: encodeToken(content, secret),
    action: "backfill",
    filter: content.filter,
    count,
    isAtLeast: false,
    refused: handledBefore(look.handled),
    sample: [],
    instants: { first, last },
    consequences: [],
    expiresAt: new Date(expiresAt),
    confirm: needsCount("backfill", count) ? "count" : "button",
  };
};

const handledBefore = (handled: readonly number[]): Plan["refused"] =>
  handled.length === 0
    ? []
    : [
        {
          reason: "handled_before",
          count: handled.length,
          sample: toDates(handled).map((at) => at.toISOString()),
        },
      ];

/** Instants of one transaction. */
const stepSize = 500;

/** The instants of a plan that are still open, in steps. */
export async function* openInstants(
  engine: Engine,
  { name, from, to }: PlannedBackfill,
  now: Date,
): AsyncGenerator<FoundUnits> {
  const range = { name, from: new Date(from), to: new Date(to) };
  const { open } = await readBackfill(engine, range, now);
  for (let at = 0; at < open.length; at += stepSize) {
    const step = open.slice(at, at + stepSize).map((instant) => new Date(instant).toISOString());
    yield { units: step, refused: [] };
  }
}

/** Starts instants. Each that starts no sequence is refused, with its outcome. */
export const runBackfill = async (
  engine: Engine,
  { name, timing, overlap }: PlannedBackfill,
  instants: readonly string[],
): Promise<ActionResult> => {
  const outcomes = await backfillStep(engine, {
    ...{ name, timing, overlap },
    instants: instants.map((instant) => Date.parse(instant)),
  });
  const refused = outcomes.flatMap((reason, index) =>
    done.has(reason) ? [] : [{ id: instants[index] ?? "", reason }],
  );
  return { done: outcomes.length - refused.length, refused };
};

/** A buffered instant starts when the one before it has ended. */
const done: ReadonlySet<string> = new Set(["started", "deduplicated", "buffered"]);
