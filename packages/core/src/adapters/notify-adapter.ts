/** How many jobs of a type have become due since the last notification. */
export interface JobScheduledHint {
  readonly typeName: string;
  readonly count: number;
}

/** Stops listening. Safe to call twice; resolves when the listener will not be called any more. */
export type StopListening = () => Promise<void>;

/** Is told that jobs of a type may be due. */
export interface JobScheduledListener {
  readonly typeNames: readonly string[];
  /**
   * Jobs of this type may be due: acquire. Called synchronously when the notification arrives, and once per type when a
   * lost connection is back, since notifications may have been missed. `count`: jobs assigned to this listener, as far as
   * the adapter knows. They reduce its demand until its next acquisition.
   */
  readonly onJobScheduled: (typeName: string, count?: number) => void;
  /**
   * How many jobs the listener could take now; 1 if left out. An adapter that keeps hint counts takes that many for it.
   * It skips a listener with 0, so that the hint is left for an idle listener. `offered`: how many jobs there are, as far
   * as the adapter knows. A listener with less room acquires again by itself when it has room.
   */
  readonly demand?: ((typeName: string, offered?: number) => number) | undefined;
}

/** Is told that a sequence has ended. */
export interface SequenceCompletedListener {
  readonly sequenceIds: readonly string[];
  /** The sequence may have ended: query it. Also called for each sequence when a lost connection is back. */
  readonly onSequenceCompleted: (sequenceId: string) => void;
}

/** Is told that a job is no longer its worker's. */
export interface OwnershipLostListener {
  /** The job may have been acquired, completed or deleted elsewhere: query it if this process runs it. */
  readonly onOwnershipLost: (jobId: string) => void;
  /** A lost connection is back: notifications may have been missed. */
  readonly onReconnected?: (() => void) | undefined;
}

/** The store whose notifications an adapter carries. */
export interface NotifyAdapterStore {
  /** The result of `StateAdapter.getStoreId`. */
  readonly storeId: string;
  /** Receives errors that no call rejects with, such as oversized messages; they cost latency at most. */
  readonly onError: (error: unknown) => void;
}

/**
 * Notifies other processes. Notifications are hints: they may be lost, repeated, late or needless. Nothing that must hold
 * depends on them.
 *
 * - `notify*` resolves when the message has been handed to the transport. It may reject: core reports the error and
 *   goes on. It never waits for a lost connection.
 * - `listen*` resolves when the subscription is active: a notification after that arrives, while connected.
 * - A lost connection is noticed, also a half-open one, and made again with backoff. Then every listener is called once.
 *   No error of the transport ever surfaces as an unhandled rejection.
 * - One subscription per channel and process, however many listeners.
 * - Messages that are not ours, broken, or of a future version are ignored.
 * - The cost of a message is bounded: a message over 64 KiB or 1,000 entries is dropped, and reported once a minute.
 */
export interface NotifyAdapter {
  /**
   * Called once, before any other method. The names of channels carry the store's identity, so that two stores on one
   * broker do not receive each other's notifications.
   * - Throws if the adapter has been bound to another store: each store needs an adapter of its own.
   * - Left out by an adapter whose channels no other store can reach.
   */
  bindStore?(store: NotifyAdapterStore): void;

  /** Jobs have become due. With hint counts, `count` jobs wake listeners for about `count` jobs. */
  notifyJobScheduled(hints: readonly JobScheduledHint[]): Promise<void>;
  listenJobScheduled(listener: JobScheduledListener): Promise<StopListening>;

  /** Sequences have ended: completed or failed. Every listener for one of them is called. */
  notifyJobSequenceCompleted(sequenceIds: readonly string[]): Promise<void>;
  listenJobSequenceCompleted(listener: SequenceCompletedListener): Promise<StopListening>;

  /** Jobs have changed hands outside their process function. Every listener is called. */
  notifyJobOwnershipLost(jobIds: readonly string[]): Promise<void>;
  listenJobOwnershipLost(listener: OwnershipLostListener): Promise<StopListening>;

  /** Closes the connections that the adapter opened, and nothing it was given. Afterwards `notify*` does nothing. */
  close(): Promise<void>;
}
