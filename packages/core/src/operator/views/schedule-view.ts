// A schedule as operators see it: its input is redacted as that of its jobs.
import type { PayloadCodec } from "../../model/payload.ts";
import type { Schedule, ScheduleTick } from "../../public-types/schedules.ts";
import { redactedText } from "../redact/redact-errors.ts";
import type { Viewer } from "../search/search.ts";
import { headLength, type PayloadHead, toPayloadHead } from "./job-view.ts";

/** A schedule as operators see it. */
export interface ScheduleView extends Omit<Schedule, "input"> {
  readonly input: PayloadHead;
}

/** A schedule with its ticks. */
export interface ScheduleDetail {
  readonly schedule: ScheduleView;
  /** The next instants, at most 10. Those of a pause are left out when it ends. */
  readonly next: readonly Date[];
  /** The last ticks, the newest first. */
  readonly ticks: readonly ScheduleTick[];
}

export const toScheduleView = (
  codec: PayloadCodec | null,
  { input, ...schedule }: Schedule,
  { view, redaction, redactText }: Viewer,
): ScheduleView => {
  const text = codec === null ? (JSON.stringify(input) ?? "null") : codec.stringify(input);
  const shown = redaction.show(text, { typeName: schedule.typeName, field: "input" }, view);
  const { lastError } = schedule;
  return {
    ...schedule,
    lastError: lastError === null ? null : redactedText(redactText, lastError),
    input: toPayloadHead(shown, headLength, text.length),
  };
};
