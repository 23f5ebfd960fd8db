// The status of a job: a shape, a word and a colour. Each of them is enough.
import type { JSX } from "preact";
import type { Job } from "../answers/types.ts";

export type StatusWord =
  | "pending"
  | "due"
  | "scheduled"
  | "retrying"
  | "blocked"
  | "running"
  | "stalled"
  | "completed"
  | "failed"
  | "cancelled";

type JobTimes = Pick<Job, "status" | "scheduledAt" | "attempt" | "leasedUntil">;

/** The status as a person would say it: a pending job is due, scheduled or retrying. */
export const statusWord = (job: JobTimes, now: number): StatusWord => {
  const { status, scheduledAt, attempt, leasedUntil } = job;
  if (status === "pending") {
    if (Date.parse(scheduledAt) <= now) return "due";
    return attempt > 0 ? "retrying" : "scheduled";
  }
  if (status === "running" && leasedUntil !== null && Date.parse(leasedUntil) < now)
    return "stalled";
  return status;
};

/** The colour of a word: one class in the style sheet. */
export const toneOf = (word: StatusWord): string =>
  word === "due" || word === "scheduled" ? "pending" : word === "stalled" ? "failed" : word;

const ring = "M8 13.2a5.2 5.2 0 1 0 0-10.4 5.2 5.2 0 0 0 0 10.4z";

const shapes: Readonly<Record<StatusWord, { readonly fill?: string; readonly line?: string }>> = {
  pending: { line: ring },
  due: { line: ring },
  scheduled: { line: `${ring}M8 5v3.2l2.2 1.3` },
  retrying: { line: `${ring}M8 5v3.2l2.2 1.3` },
  blocked: { line: `${ring}M6.4 6v4M9.6 6v4` },
  running: { fill: "M8 13.2a5.2 5.2 0 1 0 0-10.4 5.2 5.2 0 0 0 0 10.4z" },
  stalled: { line: "M8 2.6 14 13.2H2zM8 6.4v3.2M8 11.2v.3" },
  completed: { line: "M3.2 8.6 6.5 12l6.3-7.6" },
  failed: { line: "M4 4l8 8M12 4l-8 8" },
  cancelled: { line: `${ring}M4.4 11.6l7.2-7.2` },
};

export const StatusShape = ({ word }: { readonly word: StatusWord }): JSX.Element => {
  const { fill, line } = shapes[word];
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {fill !== undefined && <path class="fill" d={fill} />}
      {line !== undefined && <path class="stroke" d={line} />}
    </svg>
  );
};

export const Status = ({ word }: { readonly word: StatusWord }): JSX.Element => (
  <span class={`status tone-${toneOf(word)}`}>
    <StatusShape word={word} />
    {word}
  </span>
);
