// Pauses and schedules as operators change them: one thing at a time, recorded like an applied plan.
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertObject } from "../model/assert-option.ts";
import type { PauseScope, PauseSettings, ResumeResult } from "../public-types/pause.ts";
import type { ScheduleTick } from "../public-types/schedules.ts";
import { quoteText } from "./filter/quote-text.ts";
import { type EditedSchedule, editSchedule, type EditingClient } from "./edit-schedule.ts";
import { createNonce } from "./plans/plan-token.ts";

interface ControlledBy {
  /** The person or program, for the record of actions. Default: none. */
  readonly user?: string | undefined;
}

/** A change of pauses or schedules. */
export type ControlOptions = ControlledBy &
  (
    | {
        readonly action: "pause";
        /** Null: every type, as a pause of its own. */
        readonly typeName: string | null;
        /** The pause ends by itself after this time. Default: it lasts until it is resumed. */
        readonly forMs?: number | undefined;
        /** The reason, for other operators. Default: none. */
        readonly note?: string | undefined;
      }
    | { readonly action: "resume"; readonly typeName: string | null }
    | {
        readonly action: "pause_key";
        /** The limit whose key is meant. */
        readonly limitName: string;
        readonly key: string;
        /** The pause ends by itself after this time. Default: it lasts until it is resumed. */
        readonly forMs?: number | undefined;
        /** The reason, for other operators. Default: none. */
        readonly note?: string | undefined;
      }
    | { readonly action: "resume_key"; readonly limitName: string; readonly key: string }
    | {
        readonly action: "pause_schedule";
        readonly name: string;
        /** The reason, for other operators. Default: none. */
        readonly note?: string | undefined;
      }
    | { readonly action: "resume_schedule" | "trigger_schedule"; readonly name: string }
    | (EditedSchedule & { readonly action: "edit_schedule" })
  );

/** A change that needs no plan, because it names its objects. */
export type ControlAction = ControlOptions["action"];

/** The result of a control. */
export interface ControlResult {
  /** False: a pause that was to be ended is not there, or a schedule did not start a sequence. */
  readonly isDone: boolean;
  /** Of a trigger: the tick, with its outcome. */
  readonly tick?: ScheduleTick | undefined;
}

/** The methods of a client that controls call. */
export interface ControllingClient extends EditingClient {
  pause(options: PauseScope & PauseSettings): Promise<void>;
  resume(options: PauseScope): Promise<ResumeResult>;
  pauseSchedules(options: {
    readonly names: readonly string[];
    readonly note?: string | undefined;
  }): Promise<readonly unknown[]>;
  resumeSchedules(options: { readonly names: readonly string[] }): Promise<readonly unknown[]>;
  triggerSchedules(options: {
    readonly names: readonly string[];
  }): Promise<readonly ScheduleTick[]>;
}

const optionNames: Readonly<Record<ControlAction, readonly string[]>> = {
  pause: ["action", "user", "typeName", "forMs", "note"],
  resume: ["action", "user", "typeName"],
  pause_key: ["action", "user", "limitName", "key", "forMs", "note"],
  resume_key: ["action", "user", "limitName", "key"],
  pause_schedule: ["action", "user", "name", "note"],
  resume_schedule: ["action", "user", "name"],
  trigger_schedule: ["action", "user", "name"],
  edit_schedule: ["action", "user", "name", "cron", "timeZone", "everyMs", "overlap"],
};

/** Makes one change, and records it. */
export const control = async (
  { operator }: AnyStateAdapter,
  client: ControllingClient,
  options: ControlOptions,
): Promise<ControlResult> => {
  assertObject(options, "options");
  const { action, user = null } = options;
  if (!Object.hasOwn(optionNames, action)) {
    const names = Object.keys(optionNames).join(", ");
    throw new InvalidOptionError("action", action, `give one of ${names}`);
  }
  assertKnownOptions(options, optionNames[action]);
  const id = createNonce();
  const result = await change(client, options);
  const done = result.isDone ? 1 : 0;
  await operator?.beginAction?.({ id, action, user, filter: targetOf(options), count: 1 });
  await operator?.finishAction?.({ id, done, refused: 1 - done });
  return result;
};

const change = async (
  client: ControllingClient,
  options: ControlOptions,
): Promise<ControlResult> => {
  switch (options.action) {
    case "pause": {
      const { typeName, forMs, note } = options;
      await client.pause({ ...scopeOf(typeName), forMs, note });
      return { isDone: true };
    }
    case "resume": {
      const { resumed } = await client.resume(scopeOf(options.typeName));
      return { isDone: resumed > 0 };
    }
    case "pause_key": {
      const { limitName: limit, key, forMs, note } = options;
      await client.pause({ limit, keys: [key], forMs, note });
      return { isDone: true };
    }
    case "resume_key": {
      const { limitName: limit, key } = options;
      const { resumed } = await client.resume({ limit, keys: [key] });
      return { isDone: resumed > 0 };
    }
    case "pause_schedule": {
      const { name, note } = options;
      await client.pauseSchedules({ names: [name], note });
      return { isDone: true };
    }
    case "resume_schedule":
      await client.resumeSchedules({ names: [options.name] });
      return { isDone: true };
    case "edit_schedule":
      return { isDone: await editSchedule(client, options) };
    case "trigger_schedule": {
      const [tick] = await client.triggerSchedules({ names: [options.name] });
      return { isDone: tick !== undefined && tick.sequenceId !== null, tick };
    }
  }
};

const scopeOf = (typeName: string | null): PauseScope =>
  typeName === null ? { everything: true } : { jobTypes: [typeName] };

/** The target in the words of a filter. Null: every type. */
const targetOf = (options: ControlOptions): string | null => {
  if ("name" in options) return `schedule:${quoteText(options.name)}`;
  if ("key" in options) {
    return `limit:${quoteText(options.limitName)} limit-key:${quoteText(options.key)}`;
  }
  return options.typeName === null ? null : `type:${quoteText(options.typeName)}`;
};
