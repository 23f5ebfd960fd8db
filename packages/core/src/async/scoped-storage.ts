// AsyncLocalStorage that costs only while a callback is inside. Up to Node 22 a storage that was ever entered makes every
// promise of the process several times as expensive, until it is disabled. Newer versions carry it for nothing.
import { AsyncLocalStorage } from "node:async_hooks";

/** Whether async context costs nothing: from Node 24 on, and in Workers of Cloudflare, which cannot disable it. */
const isAsyncContextFree: boolean =
  Number.parseInt(process.versions.node, 10) >= 24 ||
  // Not declared for Node 20.
  (globalThis as { readonly navigator?: { readonly userAgent?: string } }).navigator?.userAgent ===
    "Cloudflare-Workers";

/** The value is for the callback: once no callback is inside any more, it is not found. */
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
