/** How many jobs of a type have become due since the last hint. */
export interface JobScheduledHint {
  readonly typeName: string;
  readonly count: number;
}

/** Stops listening. Safe to call twice; resolves when nothing will be called any more. */
export type StopListening = () => Promise<void>;

export interface JobScheduledListener {
  readonly typeNames: readonly string[];
  /**
   * There may be work of this type: look. Called synchronously when the notification arrives, and once per
   * type after a lost connection is back, since something may have been missed. `count`: for how many of the jobs this
   * listener is told, as far as the adapter knows; they are taken off what it demands until it has looked.
   */
  readonly onJobScheduled: (typeName: string, count?: number) => void;
  /**
   * How many jobs the listener could take right now. An adapter that keeps hint counts takes that many for it, and
   * leaves a listener with 0 alone: the hint is there for an idle one. Absent: 1. `offered`: how many there are, as far
   * as the adapter knows; a listener that could take fewer looks again by itself once it can.
   */
  readonly demand?: ((typeName: string, offered?: number) => number) | undefined;
}

export interface SequenceCompletedListener {
  readonly sequenceIds: readonly string[];
  /** The sequence may have ended: look. Also called for each after a lost connection is back. */
  readonly onSequenceCompleted: (sequenceId: string) => void;
}

export interface OwnershipLostListener {
  /** Somebody else has taken, completed or deleted this job: whoever runs it should look. */
  readonly onOwnershipLost: (jobId: string) => void;
  /** A lost connection is back: losses may have been missed. */
  readonly onReconnected?: (() => void) | undefined;
}

/**
 * Tells other processes that there is something to look at. Notifications are hints: they may be lost,
 * repeated, late, or for nothing; nothing that must hold depends on them.
 *
 * - `notify*` resolves when the message has been handed to the transport. It may reject: core reports the error and
 *   goes on. It never waits for a lost connection.
 * - `listen*` resolves when the subscription is active: a notification after that arrives, while connected.
 * - A lost connection is noticed, also a half-open one, and made again with backoff; then every listener is told to
 *   look once. No error of the transport ever surfaces as an unhandled rejection.
 * - One subscription per channel and process, however many listeners.
 * - Messages that are not ours, broken, or of a future version are ignored.
 */
export interface NotifyAdapter {
  /**
   * Called once, before any other method, with the result of `StateAdapter.getStoreId`. The names of channels carry the
   * identity, so that two stores on one broker do not receive each other's notifications.
   * - Throws if the adapter has been bound to another store: each store needs an adapter of its own.
   * - Left out by an adapter whose channels no other store can reach.
   */
  bindStore?(storeId: string): void;

  /** Jobs have become due. With hint counts, `count` jobs wake listeners for about `count` jobs. */
  notifyJobScheduled(hints: readonly JobScheduledHint[]): Promise<void>;
  listenJobScheduled(listener: JobScheduledListener): Promise<StopListening>;

  /** Sequences have ended: completed or failed. Every listener for one of them is told. */
  notifyJobSequenceCompleted(sequenceIds: readonly string[]): Promise<void>;
  listenJobSequenceCompleted(listener: SequenceCompletedListener): Promise<StopListening>;

  /** Jobs have changed hands outside their process function. Every listener is told. */
  notifyJobOwnershipLost(jobIds: readonly string[]): Promise<void>;
  listenJobOwnershipLost(listener: OwnershipLostListener): Promise<StopListening>;

  /** Closes the connections that the adapter opened, and nothing it was given. Afterwards `notify*` does nothing. */
  close(): Promise<void>;
}
