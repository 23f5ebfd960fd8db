// Parts that the list of schedules and the page of one share.
import type { JSX } from "preact";
import type { SchedulesAnswer } from "../../src/api-types.ts";
import { act } from "../answers/act.ts";
import { duration } from "../format.ts";
import { PauseIcon, PlayIcon, RetryIcon } from "./icons.tsx";

export type Schedule = SchedulesAnswer["items"][number];

/** How a tick goes while a sequence of the schedule is unfinished. */
export const overlapWords: Readonly<Record<Schedule["overlap"], string>> = {
  skip: "leave the tick out",
  allow: "start beside it",
  bufferOne: "start one afterwards",
  cancelRunning: "cancel it, start anew",
};

export const Rule = ({ of }: { readonly of: Schedule }): JSX.Element => {
  const { cron, timeZone, everyMs } = of;
  return cron === null ? (
    <>every {duration(everyMs ?? 0)}</>
  ) : (
    <>
      <code>{cron}</code> <span class="muted">{timeZone}</span>
    </>
  );
};

export const ScheduleButtons = ({ of }: { readonly of: Schedule }): JSX.Element => {
  const { name, pausedAt } = of;
  const run = (): void => void act({ action: "trigger_schedule", name }, `${name} was started.`);
  const pause = (): void => void act({ action: "pause_schedule", name }, `${name} is paused.`);
  const resume = (): void => void act({ action: "resume_schedule", name }, `${name} runs again.`);
  return (
    <div class="buttons row-buttons">
      <button type="button" class="button" onClick={run} aria-label={`Run now: ${name}`}>
        <RetryIcon /> Run now
      </button>
      {pausedAt === null ? (
        <button type="button" class="button" onClick={pause} aria-label={`Pause ${name}`}>
          <PauseIcon /> Pause
        </button>
      ) : (
        <button type="button" class="button" onClick={resume} aria-label={`Resume ${name}`}>
          <PlayIcon /> Resume
        </button>
      )}
    </div>
  );
};
