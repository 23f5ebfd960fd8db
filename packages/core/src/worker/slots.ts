// At most `concurrency` process functions run at a time, in the order in which their jobs were
// acquired.
import type { Attempt } from "../lifecycle/process-job/attempt.ts";

export class Slots {
  readonly concurrency: number;
  readonly #run: (attempt: Attempt) => Promise<unknown>;
  readonly #onFreed: (attempt: Attempt) => void;
  #queue: Attempt[] = [];
  #head = 0;
  #activeCount = 0;
  #begunCount = 0;
  #isClosed = false;
  /** Attempts at jobs that this worker still runs under an older lease: they begin when that run has ended. */
  readonly #after = new Map<Attempt, Attempt>();
  /** Held jobs of each type that has a limit of its own; queued ones included. */
  readonly #countByType = new Map<string, number>();

  constructor(
    concurrency: number,
    /** Must not reject. */
    run: (attempt: Attempt) => Promise<unknown>,
    /** A slot is free again. */
    onFreed: (attempt: Attempt) => void,
  ) {
    this.concurrency = concurrency;
    this.#run = run;
    this.#onFreed = onFreed;
  }

  get activeCount(): number {
    return this.#activeCount;
  }

  get queuedCount(): number {
    return this.#queue.length - this.#head + this.#after.size;
  }

  /** Attempts begun since the worker started: for its speed. */
  get begunCount(): number {
    return this.#begunCount;
  }

  countOf(typeName: string): number {
    return this.#countByType.get(typeName) ?? 0;
  }

  /** Of a batch the first attempt stands in the queue. */
  offer(attempts: readonly Attempt[]): void {
    for (const attempt of attempts) {
      if (attempt.batch !== null && attempt.batch.attempts[0] !== attempt) continue;
      this.#queue.push(attempt);
      this.#count(attempt, 1);
    }
    this.#fill();
  }

  /** Begins after `earlier`, which runs the same job. */
  offerAfter(earlier: Attempt, attempt: Attempt): void {
    this.#after.set(earlier, attempt);
    this.#count(attempt, 1);
  }

  /** No attempt begins any more: queued ones, and those still to come, wait to be taken out. */
  close(): void {
    this.#isClosed = true;
  }

  /** Takes out the attempts that have not begun and that the predicate picks. */
  takeQueued(isPicked: (attempt: Attempt) => boolean): readonly Attempt[] {
    const taken: Attempt[] = [];
    const left: Attempt[] = [];
    for (const attempt of this.#queue.slice(this.#head)) {
      const picked = membersOf(attempt).filter(isPicked);
      taken.push(...picked);
      attempt.batch?.remove(picked);
      const [first] = attempt.batch === null && picked.length > 0 ? [] : membersOf(attempt);
      if (first === undefined) this.#count(attempt, -1);
      else left.push(first);
    }
    for (const [earlier, attempt] of this.#after) {
      if (!isPicked(attempt)) continue;
      this.#after.delete(earlier);
      this.#count(attempt, -1);
      taken.push(attempt);
    }
    if (taken.length === 0) return taken;
    this.#queue = left;
    this.#head = 0;
    return taken;
  }

  #fill(): void {
    while (this.#activeCount < this.concurrency && !this.#isClosed) {
      const attempt = this.#queue[this.#head];
      if (attempt === undefined) break;
      this.#head++;
      this.#begin(attempt);
    }
    // Shifting an array moves all of it; a moving head costs nothing until the array is worth cutting.
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head > 256 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }

  #begin(attempt: Attempt): void {
    this.#activeCount++;
    this.#begunCount++;
    const members = membersOf(attempt);
    for (const member of members) {
      member.hasBegun = true;
      member.isInSlot = true;
    }
    void this.#run(attempt).then(() => {
      this.#activeCount--;
      this.#count(attempt, -1);
      for (const member of members) {
        member.isInSlot = false;
        this.#takeNext(member);
      }
      this.#fill();
      this.#onFreed(attempt);
    });
  }

  #takeNext(earlier: Attempt): void {
    if (this.#after.size === 0) return;
    const attempt = this.#after.get(earlier);
    if (attempt === undefined) return;
    this.#after.delete(earlier);
    this.#queue.push(attempt);
  }

  #count({ job, processor }: Attempt, delta: number): void {
    // Only types with a limit of their own are counted.
    if (processor.concurrency === null) return;
    this.#countByType.set(job.typeName, this.countOf(job.typeName) + delta);
  }
}

/** The attempts that one slot runs. */
const membersOf = (attempt: Attempt): readonly Attempt[] => attempt.batch?.attempts ?? [attempt];
