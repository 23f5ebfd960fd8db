/** What a notify adapter has done since it was made. For tests, benchmarks and the curious; nothing depends on it. */
export interface NotifyStats {
  /** Messages handed to the transport. */
  readonly published: number;
  /** Publishings that failed, each with all it had gathered. */
  readonly publishFailed: number;
  /** Messages of other processes that were acted upon. */
  readonly received: number;
  /** Messages of this adapter that came back over the wire: their listeners had been told already. */
  readonly returned: number;
  /** Messages that were none of ours, broken, or of a version we do not know. */
  readonly ignored: number;
  /** Jobs of hints that this process took for its listeners. */
  readonly hintsTaken: number;
  /** Asked for a hint, and others had been faster. */
  readonly hintsMissed: number;
  /** Hints that could not be asked for, so that listeners were woken at a guess. */
  readonly hintsGuessed: number;
  /** Subscriptions that were lost and are back. */
  readonly reconnected: number;
}

export type NotifyCounters = { -readonly [TName in keyof NotifyStats]: NotifyStats[TName] };

export const createNotifyCounters = (): NotifyCounters => ({
  published: 0,
  publishFailed: 0,
  received: 0,
  returned: 0,
  ignored: 0,
  hintsTaken: 0,
  hintsMissed: 0,
  hintsGuessed: 0,
  reconnected: 0,
});
