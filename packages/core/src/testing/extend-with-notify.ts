import { afterAll } from "vitest";
import type { TestAPI } from "vitest";
import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import { createInProcessNotifyAdapter } from "../in-process/create-in-process-notify-adapter.ts";
import { createNoopNotifyAdapter } from "../in-process/create-noop-notify-adapter.ts";
import { createHarnessPool } from "./harness-pool.ts";
import type { NotifyAdapterHarness } from "./notify-harness.ts";

/** Fixtures of a notify adapter. */
export interface NotifyTestContext {
  readonly notifyHarness: NotifyAdapterHarness;
  readonly notifyAdapter: NotifyAdapter;
  /** As another process would have it; the same adapter where there is no transport. */
  readonly secondNotifyAdapter: NotifyAdapter;
}

/** The pattern of every `extendWithNotify…`: give it a function that opens the adapters. */
export const extendWithNotify = <TContext extends object>(
  it: TestAPI<TContext>,
  open: () => Promise<NotifyAdapterHarness>,
): TestAPI<TContext & NotifyTestContext> => {
  const pool = createHarnessPool(open);
  afterAll(() => pool.close());
  const extended = it.extend<NotifyTestContext>({
    // Vitest reads the needs of a fixture from this pattern, so it has to be one, also when it is empty.
    // oxlint-disable-next-line no-empty-pattern
    notifyHarness: async ({}, use) => {
      const harness = await pool.take();
      await use(harness);
      await pool.giveBack(harness);
    },
    notifyAdapter: async ({ notifyHarness }, use) => {
      await use(notifyHarness.notifyAdapter);
    },
    secondNotifyAdapter: async ({ notifyHarness }, use) => {
      await use(notifyHarness.secondNotifyAdapter ?? notifyHarness.notifyAdapter);
    },
  });
  // Vitest's own type of `extend` nests one intersection per call; this one is the same and stays readable.
  return extended as unknown as TestAPI<TContext & NotifyTestContext>;
};

const openWith = (create: () => NotifyAdapter) => (): Promise<NotifyAdapterHarness> => {
  const notifyAdapter = create();
  return Promise.resolve({ notifyAdapter, close: () => notifyAdapter.close() });
};

/** The notify adapter of one process. */
export const extendWithNotifyInProcess = <TContext extends object>(
  it: TestAPI<TContext>,
): TestAPI<TContext & NotifyTestContext> =>
  extendWithNotify(it, openWith(createInProcessNotifyAdapter));

/** No notifications at all: everything is found by polling. */
export const extendWithNotifyNoop = <TContext extends object>(
  it: TestAPI<TContext>,
): TestAPI<TContext & NotifyTestContext> => extendWithNotify(it, openWith(createNoopNotifyAdapter));
