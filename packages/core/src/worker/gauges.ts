// The gauges of one worker. A worker is idle for a type as often as it could begin one more job of that type. A slot that
// another type occupies does not count. Since each attempt changes the idle gauges of all types, they are emitted once in a
// turn of the event loop. All of it costs nothing if no adapter keeps gauges.
import type { Engine } from "../engine.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";

interface TypeGauge {
  readonly typeName: string;
  readonly limit: number;
  runningCount: number;
  /** As emitted. */
  idleCount: number;
}

export class WorkerGauges {
  readonly #engine: Engine;
  readonly #workerId: string;
  readonly #concurrency: number;
  readonly #types: ReadonlyMap<string, TypeGauge>;
  #runningCount = 0;
  #isOpen = false;
  #isEmitting = false;

  constructor(
    engine: Engine,
    workerId: string,
    concurrency: number,
    processors: readonly Processor[],
  ) {
    this.#engine = engine;
    this.#workerId = workerId;
    this.#concurrency = concurrency;
    this.#types = new Map(
      processors.map(({ typeName, concurrency: limit }) => [
        typeName,
        { typeName, limit: limit ?? concurrency, runningCount: 0, idleCount: 0 },
      ]),
    );
  }

  open(): void {
    this.#isOpen = true;
    this.#emitIdle();
  }

  /** Every gauge is back where it was before `open`. */
  close(): void {
    this.#isOpen = false;
    this.#emitIdle();
  }

  /** The attempt begins or ends. An attempt that is left behind ends once only. */
  count(attempt: Attempt, isRunning: boolean): void {
    const { observer } = this.#engine;
    if (!observer.hasGauges || attempt.isCounted === isRunning) return;
    attempt.isCounted = isRunning;
    const delta = isRunning ? 1 : -1;
    const { typeName } = attempt.job;
    const type = this.#types.get(typeName);
    if (type !== undefined) type.runningCount += delta;
    this.#runningCount += delta;
    if (this.#isOpen && !this.#isEmitting) void this.#emitIdleSoon();
    observer.processingChanged({ typeName, workerId: this.#workerId, delta });
  }

  async #emitIdleSoon(): Promise<void> {
    this.#isEmitting = true;
    await this.#engine.clock.yield();
    this.#isEmitting = false;
    this.#emitIdle();
  }

  #emitIdle(): void {
    const { observer } = this.#engine;
    if (!observer.hasGauges) return;
    const freeCount = this.#concurrency - this.#runningCount;
    for (const type of this.#types.values()) {
      const idleCount = this.#isOpen
        ? Math.max(0, Math.min(freeCount, type.limit - type.runningCount))
        : 0;
      const delta = idleCount - type.idleCount;
      if (delta === 0) continue;
      type.idleCount = idleCount;
      observer.idleChanged({ typeName: type.typeName, workerId: this.#workerId, delta });
    }
  }
}
