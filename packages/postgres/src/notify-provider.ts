import type { ReconnectingSubscriberOptions } from "queuert/internal";
import { toArrayLiteral } from "./array-literal.ts";

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

/** One statement for any number of payloads. The usual one is spared the planning of a list. */
export const publishStatement = (
  channel: string,
  payloads: readonly string[],
): { readonly sql: string; readonly params: string[] } => {
  const [payload] = payloads;
  return payloads.length === 1 && payload !== undefined
    ? { sql: "SELECT pg_notify($1::text, $2::text)", params: [channel, payload] }
    : { sql: publishListSql, params: [channel, toArrayLiteral(payloads)] };
};

const publishListSql =
  "SELECT pg_notify($1::text, u.payload) FROM unnest($2::text::text[]) AS u (payload)";
