import type { CompleteJobsParams } from "../../adapters/state-adapter-params.ts";
import type { AnyStateAdapter, BaseStateAdapterContext } from "../../adapters/state-adapter.ts";

/** A failure made on purpose; counts as a passing one, as that of a lost connection does. */
export class StateFault extends Error {
  override readonly name = "StateFault";
}

export type StateOperation = keyof AnyStateAdapter;

/**
 * The points between the engine and its store where a test can intervene. The engine sees the error
 * that a hook throws.
 */
export interface StateHooks {
  /** Before a statement is sent: a throw is a statement that was not executed. */
  readonly before?: ((operation: StateOperation, params: unknown) => unknown) | undefined;
  /** After it was executed: a throw is an answer that was lost. */
  readonly after?:
    ((operation: StateOperation, params: unknown, answer: unknown) => unknown) | undefined;
  /** In a transaction, before its commit: a throw is a commit that was refused. */
  readonly beforeCommit?: ((context: BaseStateAdapterContext) => unknown) | undefined;
  /** After the commit: a throw is a commit whose answer was lost. */
  readonly afterCommit?: ((context: BaseStateAdapterContext) => unknown) | undefined;
}

const infrastructure: ReadonlySet<string> = new Set([
  "capabilities",
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

/** Of a statement that takes the commit with it. */
const contextToCommit = (params: unknown): BaseStateAdapterContext | undefined => {
  const { context, andCommit } = (params ?? {}) as Partial<CompleteJobsParams<object>>;
  return andCommit === true ? context : undefined;
};

/** The adapter, with a test's hooks around its statements and its commits. */
export const interceptState = (adapter: AnyStateAdapter, hooks: StateHooks): AnyStateAdapter => {
  const intercepted: Record<string, unknown> = { ...adapter };
  const committed = new WeakSet<BaseStateAdapterContext>();
  for (const [name, method] of Object.entries(adapter)) {
    if (infrastructure.has(name) || typeof method !== "function") continue;
    const operation = name as StateOperation; // One of the adapter's own keys.
    const call = method as (params: unknown) => Promise<unknown>;
    intercepted[name] = async (params: unknown): Promise<unknown> => {
      await hooks.before?.(operation, params);
      const committing = contextToCommit(params);
      if (committing !== undefined) {
        await hooks.beforeCommit?.(committing);
        committed.add(committing);
      }
      const answer = await call.call(adapter, params);
      await hooks.after?.(operation, params, answer);
      return answer;
    };
  }
  const { isTransientError } = adapter.capabilities;
  intercepted["capabilities"] = {
    ...adapter.capabilities,
    isTransientError: (error: unknown) =>
      error instanceof StateFault || isTransientError?.(error) === true,
  };
  const runInTransaction: AnyStateAdapter["runInTransaction"] = async (callback) => {
    let used: BaseStateAdapterContext = {};
    const answer = await adapter.runInTransaction(async (context) => {
      used = context;
      const result = await callback(context);
      if (!committed.has(context)) await hooks.beforeCommit?.(context);
      return result;
    });
    await hooks.afterCommit?.(used);
    return answer;
  };
  // The adapter's own keys, each with its own signature.
  return { ...intercepted, runInTransaction } as unknown as AnyStateAdapter;
};

/** Counts statements by their method. */
export const countStatements = (
  adapter: AnyStateAdapter,
): {
  readonly adapter: AnyStateAdapter;
  readonly counts: ReadonlyMap<StateOperation, number>;
  readonly total: () => number;
} => {
  const counts = new Map<StateOperation, number>();
  const before = (operation: StateOperation): void => {
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
  };
  return {
    adapter: interceptState(adapter, { before }),
    counts,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
};
