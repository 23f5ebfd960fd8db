import type { AnyStateAdapter } from "queuert";
import type { UserRow } from "../checker/history.ts";

export type StoreName = "postgres" | "sqlite" | "mongodb";

/** One of the run's, by the name with which it connects, and its pid. */
export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}

/** A store as one process has it open. */
export interface OpenStore {
  readonly state: AnyStateAdapter;
  /** Writes a row of the user's in the transaction of the context. */
  readonly writeRow: (context: object, row: UserRow) => Promise<void>;
  /** Holds every connection there is for so long. */
  readonly exhaust: (ms: number) => Promise<void>;
  /**
   * The names of those of the given processes that are connected, as the server sees them, once for
   * each connection. Null where the server cannot know.
   */
  readonly listConnected: (processes: readonly NamedProcess[]) => Promise<readonly string[] | null>;
  readonly readRows: () => Promise<readonly UserRow[]>;
  readonly close: () => Promise<void>;
}

export interface Store {
  /** Creates the tables of Queuert and the user's rows. */
  readonly prepare: (url: string) => Promise<void>;
  /** `connectionsMax`: where there is a pool. */
  readonly open: (url: string, connectionsMax: number) => Promise<OpenStore>;
}
