// AsyncLocalStorage that costs only while somebody is inside. Up to Node 22 one that has ever been entered makes every
// promise of the process several times as dear, until it is disabled; newer ones carry it for nothing.
import { AsyncLocalStorage } from "node:async_hooks";

/** Whether async context costs nothing: from Node 24 on. */
export const isAsyncContextFree: boolean = Number.parseInt(process.versions.node, 10) >= 24;

/** What is put in is meant for the callback: once nobody is inside any more, nobody finds it. */
export class ScopedStorage<T> {
  readonly #storage = new AsyncLocalStorage<T>();
  #insideCount = 0;

  async run<TResult>(value: T, callback: () => Promise<TResult>): Promise<TResult> {
    this.#insideCount++;
    try {
      return await this.#storage.run(value, callback);
    } finally {
      if (--this.#insideCount === 0 && !isAsyncContextFree) this.#storage.disable();
    }
  }

  get(): T | undefined {
    return this.#insideCount === 0 ? undefined : this.#storage.getStore();
  }
}
