// Follows the status of a connection that belongs to somebody else: whether it is up, when it is up again, and what it was not
// permitted to publish, which the client tells of in no other way.
import type { NatsConnection, NatsStatus } from "./nats-connection.ts";

export interface ConnectionWatch {
  isConnected(): boolean;
  /** Whether something published on this subject was refused since this was last asked. */
  wasRefused(subject: string): boolean;
  stop(): void;
}

export const watchConnection = (
  connection: NatsConnection,
  subjects: readonly string[],
  onReconnected: () => void,
  onError: (error: unknown) => void,
): ConnectionWatch => {
  let connected = true;
  let isStopped = false;
  const refused = new Set<string>();
  const statuses = connection.status();

  const follow = async (): Promise<void> => {
    for await (const status of statuses) {
      if (status.type === "disconnect") connected = false;
      if (status.type === "error") {
        const { operation, subject } = refusalOf(status);
        if (operation === "publish" && subjects.includes(String(subject))) {
          refused.add(String(subject));
        }
      }
      if (status.type === "reconnect") {
        connected = true;
        // Perhaps with other permissions.
        refused.clear();
        onReconnected();
      }
    }
  };
  follow().catch(onError);
  // Without an error it was closed by its owner.
  void connection.closed?.().then((error) => {
    if (error instanceof Error && !isStopped) onError(gaveUpError(error));
  }, onError);

  return {
    isConnected: () => connected && !connection.isClosed(),
    wasRefused: (subject) => refused.delete(subject),
    stop: () => {
      isStopped = true;
      // Both clients return a queue that can be stopped, though their types promise only that it can be read.
      if ("stop" in statuses && typeof statuses.stop === "function") statuses.stop();
    },
  };
};

const gaveUpError = (cause: Error): Error =>
  new Error(
    "The NATS connection has given up and does not come back; jobs are found by polling. " +
      "Set `maxReconnectAttempts: -1` and `ignoreAuthErrorAbort: true` where you connect.",
    { cause },
  );

interface Refusal {
  readonly operation?: unknown;
  readonly subject?: unknown;
}

/** `nats` says it in the status, `@nats-io` in the status's error. */
const refusalOf = ({ permissionContext, error }: NatsStatus): Refusal => ({
  ...error,
  ...permissionContext,
});
