import type { Engine } from "../engine.ts";
import { checkPreview } from "./check-schedule.ts";
import { createNextTick, ticksBetween } from "./next-tick.ts";

/** The next instants of a timing. */
export const previewSchedule = (
  { clock }: Pick<Engine, "clock">,
  options: unknown,
): readonly Date[] => {
  const { spec, count, from } = checkPreview(options);
  const next = createNextTick(spec);
  return ticksBetween(next, from ?? clock.now(), Number.POSITIVE_INFINITY, count).map(
    (at) => new Date(at),
  );
};
