/**
 * What is compared. "SDK, no adapter" is what the application itself pays for having contexts at all; "SDK, by hand" what
 * the SDK takes when process functions themselves make what the adapter would: nothing that observes can cost less. Each has
 * a process of its own: code warmed up by one would be slower, or faster, for another.
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

/** What a measuring process is told; null ends it. */
export interface Round {
  readonly settlement: Settlement;
  readonly jobCount: number;
}

/** Of one job, drained. */
export interface Cost {
  readonly wallMicroseconds: number;
  readonly cpuMicroseconds: number;
}
