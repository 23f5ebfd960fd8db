/** The target of a pause: some job types, or all of them with one pause of its own. */
export type PauseScope<TTypeName extends string = string> =
  | { readonly jobTypes: readonly TTypeName[]; readonly everything?: undefined }
  | { readonly everything: true; readonly jobTypes?: undefined };

export interface PauseSettings {
  /** The pause ends by itself after this time. Default: it lasts until `resume`. */
  readonly forMs?: number | undefined;
  /** The reason, for operators. At most 1,000 characters. Default: none. */
  readonly note?: string | undefined;
}

export interface ResumeResult {
  /** How many of the named pauses were there. */
  readonly resumed: number;
}

/** A pause that has not ended. */
export interface Pause<TTypeName extends string = string> {
  /** Null: the pause of every type. */
  readonly jobType: TTypeName | null;
  readonly pausedAt: Date;
  /** Null: until `resume`. */
  readonly until: Date | null;
  readonly note: string | null;
  /** `"pausing"` while jobs of it run that had begun before. */
  readonly state: "pausing" | "paused";
  readonly runningCount: number;
}
