import type { CommandContext, StoreAccess } from "../command.ts";
import { CliUsageError } from "../errors.ts";

/** A job of another library, in the words of the import. */
export interface ImportedJob {
  /** That of the other library. */
  readonly id: string;
  /** The name of its queue or task. */
  readonly name: string;
  readonly data: unknown;
  /** When it is due. Null: now. */
  readonly runAt: Date | null;
  /** Higher first, as in Queuert. */
  readonly priority: number;
  /** The key that the other library deduplicates by; null for none. */
  readonly key: string | null;
}

/** The jobs of another library that wait: running, finished and failed ones stay with it. */
export interface ImportSource {
  /** How many wait, by name. */
  count(): Promise<readonly { readonly name: string; readonly count: number }[]>;
  /**
   * Hands up to `limit` waiting jobs of the names to `store`, in the order of their ids, after `afterId`. Removes those whose ids it
   * returns. No other process runs or removes a job meanwhile. Returns the last id that was handed over, or null at the end.
   * With `transaction`, the jobs are stored and removed in it: together, or not at all.
   */
  move(batch: MoveBatch): Promise<string | null>;
  close(): Promise<void>;
}

export interface MoveBatch {
  readonly names: readonly string[];
  readonly afterId: string | null;
  readonly limit: number;
  /** Nothing of the source may change: `store` throws, and every transaction is rolled back. */
  readonly isDryRun: boolean;
  readonly store: (
    jobs: readonly ImportedJob[],
    /** Undefined: the source is another system. The jobs are stored first, each under a key of its own. */
    transaction: object | undefined,
  ) => Promise<readonly string[]>;
}

export interface SourceOptions {
  readonly context: CommandContext;
  readonly access: StoreAccess;
  /** The address of the source, where it is not the store. */
  readonly from: string | undefined;
  /** The schema, collection or prefix of its tables. */
  readonly place: string | undefined;
  /** Queues of a source that cannot list them. */
  readonly queues: readonly string[];
}

export type OpenSource = (options: SourceOptions) => Promise<ImportSource>;

/** Sources that share the transaction live in the store's own database. */
export const assertStore = (
  { access, from }: SourceOptions,
  kind: "postgres" | "mongodb",
  name: string,
): void => {
  if (from !== undefined) {
    throw new CliUsageError(
      `\`--from\` is for bullmq: ${name} is imported from the store's own database.`,
    );
  }
  if (access.store.kind === kind) return;
  throw new CliUsageError(
    `${name} is imported within one ${kind} database, in its transactions. The store of ${access.config.origin} is ${access.store.kind}.`,
  );
};
