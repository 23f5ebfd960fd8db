// Prepared statements are the default where the server itself is at the other end. A proxy that pools transactions gives the
// next statement to another session, which does not know the name. Such a proxy makes up the process id that it
// sends at the start of a connection, and the server reports another one. A single start then costs the server
// half (`bench/server-cpu.ts`).
import type { Pool } from "pg";

/** Returns whether the next statement is prepared. Not until the first connection has been compared. */
export const preparesStatements = (pool: Pool, option: boolean | undefined): (() => boolean) => {
  if (option !== undefined) return () => option;
  // With `pipeline`, `pg` 8.23 takes a name for known although the server has skipped its statement behind an error.
  if ((pool.options as { readonly pipeline?: boolean }).pipeline === true) return () => false;
  let state: "unknown" | "looking" | "direct" | "proxied" = "unknown";
  const look = async (): Promise<void> => {
    state = "looking";
    try {
      state = (await isDirect(pool)) ? "direct" : "proxied";
    } catch {
      // The statement that asked reports such an error itself. A later one looks again.
      state = "unknown";
    }
  };
  return () => {
    // Not awaited: a statement of a transaction may hold the last connection of the pool.
    if (state === "unknown") void look();
    return state === "direct";
  };
};

const isDirect = async (pool: Pool): Promise<boolean> => {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pg_catalog.pg_backend_pid() AS pid",
    );
    // The native client of `pg` has no such property, and its types do not name it.
    const { processID } = client as { readonly processID?: unknown };
    return rows[0]?.pid === processID;
  } finally {
    client.release();
  }
};
