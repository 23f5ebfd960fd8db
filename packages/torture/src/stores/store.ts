import type { AnyStateAdapter } from "queuert";
import type { UserRow } from "../checker/history.ts";

export type StoreName = "postgres" | "sqlite" | "mongodb";

/** One of the run's, by the name with which it connects, and its pid. */
export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}

/** The room of the store on its disk. */
export interface StoreSize {
  readonly storedBytes: number;
  /** Rows that were deleted or replaced, and still take room. Null where the server does not count them. */
  readonly deadRows: number | null;
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
  /** As a process of a new version does when it starts. */
  readonly migrate: () => Promise<void>;
  readonly measure: () => Promise<StoreSize>;
  readonly readRows: () => Promise<readonly UserRow[]>;
  readonly close: () => Promise<void>;
}

/** Statements of operators that keep all others waiting. */
export type MaintenanceKind = "lockTables" | "vacuumFull" | "reindex";

export type Maintenance = Readonly<
  Record<MaintenanceKind, (url: string, ms: number) => Promise<void>>
>;

export interface Store {
  readonly maintenance?: Maintenance;
  /** Creates the tables of Queuert and the user's rows. */
  readonly prepare: (url: string) => Promise<void>;
  /**
   * `connectionsMax`: where there is a pool. `answerTimeoutMs`: how long the driver waits for an answer. Default: 4 s, long enough for
   * a loaded server, and short enough for a half-open connection not to last the whole run.
   */
  readonly open: (
    url: string,
    connectionsMax: number,
    answerTimeoutMs?: number,
  ) => Promise<OpenStore>;
}
