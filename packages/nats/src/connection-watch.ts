// Follows the status of the application's connection: whether it is up, and when it is up again. It also collects the
// subjects on which publishing was refused, which the client reports in no other way.
import type { NatsConnection, NatsStatus } from "./nats-connection.ts";

export interface ConnectionWatch {
  isConnected(): boolean;
  /** Whether a message on this subject was refused since the last call. */
  wasRefused(subject: string): boolean;
  stop(): void;
}

export const watchConnection = (
  connection: NatsConnection,
  subjectPrefix: string,
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
        const isOurs = typeof subject === "string" && subject.startsWith(subjectPrefix);
        if (operation === "publish" && isOurs) refused.add(subject);
      }
      if (status.type === "reconnect") {
        connected = true;
        // The permissions may be others now.
        refused.clear();
        onReconnected();
      }
    }
  };
  follow().catch(onError);
  // Without an error, the application has closed it.
  void connection.closed?.().then((error) => {
    if (error instanceof Error && !isStopped) onError(gaveUpError(error));
  }, onError);

  return {
    isConnected: () => connected && !connection.isClosed(),
    wasRefused: (subject) => refused.delete(subject),
    stop: () => {
      isStopped = true;
      // Both clients return a queue that can be stopped, though their types declare only an iterable.
      if ("stop" in statuses && typeof statuses.stop === "function") statuses.stop();
    },
  };
};

const gaveUpError = (cause: Error): Error =>
  new Error(
    "The NATS connection has given up and does not come back. Polling finds the jobs. " +
      "Set `maxReconnectAttempts: -1` and `ignoreAuthErrorAbort: true` where you connect.",
    { cause },
  );

interface Refusal {
  readonly operation?: unknown;
  readonly subject?: unknown;
}

/** `nats` has it in the status, `@nats-io` in the error of the status. */
const refusalOf = ({ permissionContext, error }: NatsStatus): Refusal => ({
  ...error,
  ...permissionContext,
});
