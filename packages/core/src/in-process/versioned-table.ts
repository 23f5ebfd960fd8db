// Rows by key in two versions: that of the open transaction, and the last committed one. Rows are never written to: a
// change is a new object. A rollback puts the old objects back.
import type { View } from "./stored-job.ts";

interface Entry<TRow> {
  current: TRow | undefined;
  committed: TRow | undefined;
}

interface Change<TRow> {
  readonly key: string;
  readonly before: TRow | undefined;
}

export class VersionedTable<TRow> {
  private readonly entries = new Map<string, Entry<TRow>>();
  /** Oldest first. */
  private changes: Change<TRow>[] = [];

  /** The number of changes that are not committed, for `rewind`. */
  get mark(): number {
    return this.changes.length;
  }

  get(key: string): TRow | undefined {
    return this.entries.get(key)?.current;
  }

  /** In no order. */
  *rows(view: View): Generator<TRow, void> {
    for (const { current, committed } of this.entries.values()) {
      const row = view === "transaction" ? current : committed;
      if (row !== undefined) yield row;
    }
  }

  /** Undefined deletes the row. */
  put(key: string, row: TRow | undefined): void {
    const entry = this.entries.get(key) ?? { current: undefined, committed: undefined };
    this.entries.set(key, entry);
    this.changes.push({ key, before: entry.current });
    entry.current = row;
  }

  /** Undoes changes, newest first, until there are as many as at the mark. */
  rewind(mark: number): void {
    while (this.changes.length > mark) {
      const change = this.changes.pop();
      const entry = change && this.entries.get(change.key);
      if (change === undefined || entry === undefined) continue;
      entry.current = change.before;
      if (entry.current === undefined && entry.committed === undefined) {
        this.entries.delete(change.key);
      }
    }
  }

  commit(): void {
    for (const { key } of this.changes) {
      const entry = this.entries.get(key);
      if (entry === undefined) continue;
      entry.committed = entry.current;
      if (entry.current === undefined) this.entries.delete(key);
    }
    this.changes = [];
  }
}
