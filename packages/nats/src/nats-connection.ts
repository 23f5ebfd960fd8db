// What the adapter uses of a NATS connection and of a KV bucket. `nats` 2.28 and newer and the `@nats-io/*` modules both
// fit, so neither is imported: which of them an application has is its own affair.

export interface NatsMessage {
  readonly data: Uint8Array;
  readonly subject?: string | undefined;
  /** Where an answer is expected. */
  readonly reply?: string | undefined;
  /** The server's own answer, when nobody has subscribed, has the code 503. */
  readonly headers?: { readonly code: number } | undefined;
}

export interface NatsSubscription {
  unsubscribe(): void;
}

/** `permissionContext` and `error`: what was refused, in the words of one client or the other. */
export interface NatsStatus {
  readonly type: string;
  readonly permissionContext?: object | undefined;
  readonly error?: object | undefined;
}

export interface NatsConnection {
  readonly info?: { readonly max_payload: number } | undefined;
  publish(subject: string, payload: string, options?: { reply?: string }): void;
  /** With `queue`: of the subscriptions to a subject with the same one, a single one is given each message. */
  subscribe(
    subject: string,
    options: {
      queue?: string;
      callback: (error: Error | null, message: NatsMessage) => void;
    },
  ): NatsSubscription;
  /** Resolves when the server has answered, and so has read everything before. */
  flush(): Promise<void>;
  isClosed(): boolean;
  /** Resolves when the connection is closed for good: to an error, if it has given up. */
  closed?(): Promise<unknown>;
  status(): AsyncIterable<NatsStatus>;
}

export interface NatsKvEntry {
  readonly revision: number;
  readonly value: Uint8Array;
}

export interface NatsKv {
  put(key: string, value: string): Promise<number>;
  /** Writes if the key still has this revision. */
  update(key: string, value: string, revision: number): Promise<number>;
  get(key: string): Promise<NatsKvEntry | null>;
}
