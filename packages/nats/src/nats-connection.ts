// The members of a NATS connection that the adapter uses. Connections of `nats` 2.28 and newer and of the `@nats-io/*`
// modules have them, so neither package is imported.

export interface NatsMessage {
  readonly data: Uint8Array;
  readonly subject?: string | undefined;
  /** The subject on which the sender expects a reply. */
  readonly reply?: string | undefined;
  /** The code is 503 if the server itself replies, since there is no subscriber. */
  readonly headers?: { readonly code: number } | undefined;
}

export interface NatsSubscription {
  unsubscribe(): void;
}

/** `permissionContext` or `error` name the refused operation, depending on the client. */
export interface NatsStatus {
  readonly type: string;
  readonly permissionContext?: object | undefined;
  readonly error?: object | undefined;
}

/** A connection of NATS, as far as it is used here. */
export interface NatsConnection {
  readonly info?: { readonly max_payload: number } | undefined;
  publish(subject: string, payload: string, options?: { reply?: string }): void;
  /** With `queue`: each message is given to one of the subscriptions to the subject with the same queue. */
  subscribe(
    subject: string,
    options: {
      queue?: string;
      callback: (error: Error | null, message: NatsMessage) => void;
    },
  ): NatsSubscription;
  /** Resolves when the server has processed everything that was sent before. */
  flush(): Promise<void>;
  isClosed(): boolean;
  /** Resolves when the connection is closed for good: to an error if it has given up. */
  closed?(): Promise<unknown>;
  status(): AsyncIterable<NatsStatus>;
}
