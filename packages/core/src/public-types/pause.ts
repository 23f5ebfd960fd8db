/** The target of a pause: some job types, all of them with one pause of its own, a limit, or keys of it. */
export type PauseScope<TTypeName extends string = string> =
  | {
      readonly jobTypes: readonly TTypeName[];
      readonly everything?: undefined;
      readonly limit?: undefined;
      readonly keys?: undefined;
    }
  | {
      readonly everything: true;
      readonly jobTypes?: undefined;
      readonly limit?: undefined;
      readonly keys?: undefined;
    }
  | {
      /** The limit: a job type, or the name that several types share. */
      readonly limit: string;
      /** Keys of it. `getLimitKeys` shows their pauses. Default: all jobs under the limit. */
      readonly keys?: readonly string[] | undefined;
      readonly jobTypes?: undefined;
      readonly everything?: undefined;
    };

/** How long a pause lasts, and its reason. */
export interface PauseSettings {
  /** The pause ends by itself after this time. Default: it lasts until `resume`. */
  readonly forMs?: number | undefined;
  /** The reason, for operators. At most 1,000 characters. Default: none. */
  readonly note?: string | undefined;
}

/** The result of `resume`. */
export interface ResumeResult {
  /** How many of the named pauses were there. */
  readonly resumed: number;
}

/** A pause that has not ended. */
export interface Pause<TTypeName extends string = string> {
  /** A limit that types share is paused under its own name. Null: the pause of every type. */
  readonly jobType: TTypeName | null;
  readonly pausedAt: Date;
  /** Null: until `resume`. */
  readonly until: Date | null;
  readonly note: string | null;
  /** `"pausing"` while jobs of it run that had begun before. */
  readonly state: "pausing" | "paused";
  readonly runningCount: number;
}
