import type { ReconnectingSubscriberOptions } from "queuert/internal";
import { quoteIdentifier } from "./store-names.ts";

/** The part of a PostgreSQL client that the notify adapter needs. Ready-made for `pg` and `postgres`. */
export interface PgNotifyProvider {
  /**
   * Runs `NOTIFY` for each payload, at once, on any connection but one in a transaction. A notification in a transaction
   * is sent at its commit, and commits that notify wait for each other.
   */
  readonly publish: (channel: string, payloads: readonly string[]) => Promise<void>;
  /** Makes a connection for LISTEN, straight to the server: a proxy that pools transactions cannot carry it. */
  readonly connectSubscriber: ReconnectingSubscriberOptions["connect"];
}

/**
 * A NOTIFY for each payload, to be sent as one message without parameters, which is one transaction. The server has nothing
 * to plan, and a listener gets it about a third sooner than by `SELECT pg_notify($1, $2)`.
 */
export const publishSql = (channel: string, payloads: readonly string[]): string => {
  const name = quoteIdentifier(channel, "channelPrefix");
  return payloads.map((payload) => `NOTIFY ${name}, ${quoteText(payload)}`).join("; ");
};

// The meaning of a backslash in a plain literal is a setting of the session; after an E it is fixed.
const quoteText = (text: string): string => {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return quoted.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
};
