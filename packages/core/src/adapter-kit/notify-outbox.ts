// What waits to be published on one channel. Publishing must never be what starting or settling jobs waits for:
// - idle: published at once; while one batch is on its way, the next gathers, and everybody in it shares one promise;
// - broken: callers are told at once, what they wanted to tell is kept and tried again with backoff, and thrown away
//   once it is so old that polling has found the jobs anyway;
// - bounded: so many different keys and no more. What finds no room is refused, not queued.
import { createDeferred, type Deferred } from "../async/deferred.ts";
import { withinTime } from "./within-time.ts";

export type NotifyEntries = Iterable<readonly [key: string, count: number]>;

export interface NotifyOutboxOptions {
  readonly send: (entries: ReadonlyMap<string, number>) => Promise<void>;
  /** A batch could not be published. Those who wait for it are told why. */
  readonly onFailed: () => void;
  readonly keysMax: number;
  readonly timeoutMs: number;
  readonly retryDelayMinMs: number;
  readonly retryDelayMaxMs: number;
  /** From the first failure on: how long the entries are kept. */
  readonly keptMs: number;
}

interface Failure {
  readonly error: unknown;
  readonly since: number;
  readonly retryDelayMs: number;
}

export class NotifyOutbox {
  readonly #options: NotifyOutboxOptions;
  #gathering = new Map<string, number>();
  #batch: Deferred<void> = newBatch();
  #publishing: Promise<void> | undefined;
  #failure: Failure | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NotifyOutboxOptions) {
    this.#options = options;
  }

  /** Resolves when published. Counts of one key add up. */
  async add(entries: NotifyEntries): Promise<void> {
    if (this.#closed) return;
    const refused = this.#gather(entries);
    if (this.#gathering.size === 0) return;
    const { promise } = this.#batch;
    const willBeRetried = this.#retryTimer !== undefined || this.#publishing !== undefined;
    if (this.#failure !== undefined && willBeRetried) throw notPublished(this.#failure.error);
    this.#publish();
    await promise;
    if (refused > 0) throw tooMany(refused, this.#options.keysMax);
  }

  /** The connection may be back: try what is kept now. */
  retryNow(): void {
    if (this.#failure !== undefined && !this.#closed) this.#publish();
  }

  /** Publishes what has gathered, if publishing works, and takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopRetrying();
    await this.#publishing;
    this.#gathering.clear();
  }

  #gather(entries: NotifyEntries): number {
    let refused = 0;
    for (const [key, count] of entries) {
      const known = this.#gathering.get(key);
      if (known === undefined && this.#gathering.size >= this.#options.keysMax) refused += 1;
      else this.#gathering.set(key, Math.min((known ?? 0) + count, Number.MAX_SAFE_INTEGER));
    }
    return refused;
  }

  #publish(): void {
    this.#stopRetrying();
    this.#publishing ??= this.#publishGathered().finally(() => {
      this.#publishing = undefined;
    });
  }

  async #publishGathered(): Promise<void> {
    const { send, timeoutMs } = this.#options;
    while (this.#gathering.size > 0) {
      const entries = this.#gathering;
      const batch = this.#batch;
      this.#gathering = new Map();
      this.#batch = newBatch();
      try {
        await withinTime(send(entries), timeoutMs, "Publishing notifications");
        this.#failure = undefined;
        batch.resolve();
      } catch (error) {
        this.#failed(error, entries);
        batch.reject(error);
        // Whoever came meanwhile waits for nothing either.
        this.#batch.reject(error);
        this.#batch = newBatch();
        return;
      }
    }
  }

  #failed(error: unknown, entries: ReadonlyMap<string, number>): void {
    const { onFailed, keptMs, retryDelayMinMs, retryDelayMaxMs } = this.#options;
    onFailed();
    const now = Date.now();
    const before = this.#failure;
    const kept = before === undefined || now - before.since < keptMs;
    if (kept) this.#gather(entries);
    const retryDelayMs =
      before === undefined ? retryDelayMinMs : Math.min(before.retryDelayMs * 2, retryDelayMaxMs);
    this.#failure = { error, since: kept ? (before?.since ?? now) : now, retryDelayMs };
    if (this.#closed || this.#gathering.size === 0) return;
    // A process that has nothing else to do need not stay for it.
    this.#retryTimer = setTimeout(() => {
      this.#publish();
    }, retryDelayMs).unref();
  }

  #stopRetrying(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
  }
}

const newBatch = (): Deferred<void> => {
  const batch = createDeferred<void>();
  // A batch may fail that nobody waits for, such as one that was tried again.
  batch.promise.catch(() => undefined);
  return batch;
};

const notPublished = (cause: unknown): Error =>
  new Error("Notifications cannot be published now; jobs are found by polling meanwhile.", {
    cause,
  });

const tooMany = (refused: number, keysMax: number): Error =>
  new Error(
    `${refused} notifications were not sent: ${keysMax} wait already. Their jobs are found by polling.`,
  );
