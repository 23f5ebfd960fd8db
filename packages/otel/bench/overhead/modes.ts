/**
 * The compared modes. "SDK, no adapter" is the application's own cost of contexts. "SDK, by hand" is the cost of the SDK if
 * process functions make the spans themselves: the lower bound. Each mode has a process of its own, since code that one mode
 * has warmed up would be faster or slower for another.
 */
export const modes = [
  "no adapter",
  "adapter, no SDK",
  "SDK, no adapter",
  "SDK, by hand",
  "SDK, metrics only",
  "SDK, 10 % of traces",
  "SDK, every trace",
] as const;
export type Mode = (typeof modes)[number];

/** How process functions complete: settled in groups, or each in a transaction of its own. */
export const settlements = ["value", "callback"] as const;
export type Settlement = (typeof settlements)[number];

/** The input of a measuring process; null ends it. */
export interface Round {
  readonly settlement: Settlement;
  readonly jobCount: number;
}

/** Of one job, drained. */
export interface Cost {
  readonly wallMicroseconds: number;
  readonly cpuMicroseconds: number;
}
