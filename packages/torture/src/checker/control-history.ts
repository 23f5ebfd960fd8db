// The records about limits, pauses, cancellations, signals, waiting starts and schedules.
import type { StateJob, StateTick } from "queuert/internal";
import type { ErrandEntry } from "./errand-history.ts";

interface Noted<TKind extends string> {
  readonly kind: TKind;
  readonly at: number;
}

/** Null: no bound. */
export interface Bounds {
  readonly concurrency: number | null;
  readonly rate: { readonly count: number; readonly perMs: number; readonly burst: number } | null;
}

/** A pause, or its end. */
export interface PauseValue {
  readonly isPaused: boolean;
  /** Null: until it is resumed. */
  readonly forMs: number | null;
}

/** A call is about to change a limit or a pause: of a job type, or of a key. The type `*`: every one. */
export interface Setting extends Noted<"setting"> {
  /** Of its own: no other call has it. */
  readonly call: string;
  readonly typeName: string;
  /** The key of the limit that is named instead of a job type. Left out: none. */
  readonly key?: string;
  readonly value:
    | { readonly bounds: Bounds }
    /** Of each key of the limit. */
    | { readonly perKey: Bounds }
    /** Of one key. A bound that is null is that of the limit. */
    | { readonly ofKey: Bounds }
    | { readonly pause: PauseValue };
}

/** That call has succeeded. */
export interface SettingDone extends Noted<"set"> {
  readonly call: string;
}

/** A call is about to cancel a sequence with its tree. */
export interface Cancelling extends Noted<"cancelling"> {
  readonly call: string;
  readonly sequenceId: string;
}

/** That call has succeeded. */
export interface CancellationDone extends Noted<"cancelled"> {
  readonly call: string;
  readonly sequenceId: string;
  /** The sequence had not ended before. */
  readonly isDone: boolean;
}

/** A send was answered. */
export interface SignalSent extends Noted<"sent"> {
  readonly sequenceId: string;
  readonly payload: string;
  /** False: another send had come first. */
  readonly isFirst: boolean;
}

/** A process function was given the payload of its signal; null: the wait had ended first. */
export interface SignalReceived extends Noted<"received"> {
  readonly jobId: string;
  readonly leaseVersion: number;
  readonly sequenceId: string | null;
  readonly payload: string | null;
}

/**
 * A call has written an input to a job that waits: the start that created it or found it by its key, or an update.
 * A refused update has written nothing.
 */
export interface Overwritten extends Noted<"overwritten"> {
  readonly jobId: string;
  readonly askedAt: number;
  readonly text: string;
  readonly isRefused: boolean;
}

/** A process function of a tick began. */
export interface Ticked extends Noted<"ticked"> {
  readonly jobId: string;
  readonly schedule: string;
  readonly tickAt: number;
  /** By `triggerSchedules`. */
  readonly isManual: boolean;
}

export type ControlEntry =
  | ErrandEntry
  | Ticked
  | Setting
  | SettingDone
  | Cancelling
  | CancellationDone
  | SignalSent
  | SignalReceived
  | Overwritten;

/** Jobs of a type, or of a limit, that held unexpired leases at one moment, by the times of their acquisitions. */
export interface Crowd {
  readonly typeName: string;
  /** Of the limit. Null: all of its jobs, or a type without keys. */
  readonly key: string | null;
  readonly at: number;
  /** Oldest first. */
  readonly acquiredAt: readonly number[];
}

/** A limit, as the store counts its use after everything has ended. */
export interface PermitsLeft {
  readonly typeName: string;
  /** Null: of the whole limit. */
  readonly key: string | null;
  readonly running: number;
}

export type Span = readonly [from: number, until: number];

/** A schedule of the load. */
export interface LoadSchedule {
  readonly name: string;
  readonly spec: {
    readonly cron: string | null;
    readonly timeZone: string;
    readonly everyMs: number | null;
  };
  readonly catchUp: "latest" | "skip" | { readonly withinMs: number };
  readonly overlap: "skip" | "allow" | "bufferOne" | "cancelRunning";
  readonly graceMs: number;
  /** When it was stored and not paused: every instant in one of these times has a tick at the end of the run. */
  readonly active: readonly Span[];
  /** When it was paused, as far as is known. */
  readonly paused: readonly Span[];
}

export interface ControlSeen {
  /** Jobs of the types beside the trees, as stored or as last seen. */
  readonly jobs: readonly StateJob[];
  /** The most jobs that a worker takes at once. */
  readonly roomMax: number;
  readonly crowds: readonly Crowd[];
  readonly permitsLeft: readonly PermitsLeft[];
  readonly schedules: readonly LoadSchedule[];
  readonly ticks: readonly StateTick[];
}

export const nothingSeen: ControlSeen = {
  ...{ jobs: [], roomMax: 10, crowds: [], permitsLeft: [], schedules: [], ticks: [] },
};
