// Follows the status of a connection that belongs to somebody else: whether it is up, and when it is up again.
import type { NatsConnection } from "./nats-connection.ts";

export interface ConnectionWatch {
  isConnected(): boolean;
  stop(): void;
}

export const watchConnection = (
  connection: NatsConnection,
  onReconnected: () => void,
  onError: (error: unknown) => void,
): ConnectionWatch => {
  let connected = true;
  const statuses = connection.status();

  const follow = async (): Promise<void> => {
    for await (const { type } of statuses) {
      if (type === "disconnect") connected = false;
      if (type === "reconnect") {
        connected = true;
        onReconnected();
      }
    }
  };
  follow().catch(onError);

  return {
    isConnected: () => connected && !connection.isClosed(),
    stop: () => {
      // Both clients return a queue that can be stopped, though their types promise only that it can be read.
      if ("stop" in statuses && typeof statuses.stop === "function") statuses.stop();
    },
  };
};
