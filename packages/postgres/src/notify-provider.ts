import type { ReconnectingSubscriberOptions } from "queuert/internal";

/** What the notify adapter needs of a PostgreSQL client. Ready-made for `pg` and `postgres`. */
export interface PgNotifyProvider {
  /**
   * Runs `SELECT pg_notify(…)` for each payload, in one statement, on any connection but one in a transaction: a
   * notification in a transaction is sent at its commit, and commits that notify wait for each other.
   */
  readonly publish: (channel: string, payloads: readonly string[]) => Promise<void>;
  /** Makes a connection for LISTEN, straight to the server: a proxy that pools transactions cannot carry it. */
  readonly connectSubscriber: ReconnectingSubscriberOptions["connect"];
}

/** One statement for any number of payloads: parameters are the channel and an array literal. */
export const publishSql =
  "SELECT pg_notify($1::text, u.payload) FROM unnest($2::text::text[]) AS u (payload)";
