// The wired adapters and everything the walk runs on. Generic-free: payloads are unknown, ids are strings.
import type { NotifyAdapter } from "./adapters/notify-adapter.ts";
import type { AnyStateAdapter } from "./adapters/state-adapter.ts";
import type { EffectRouter } from "./after-commit/effect-router.ts";
import type { NestedTransactionGuard, OpenTransactions } from "./after-commit/open-transactions.ts";
import type { Notifier } from "./after-commit/post-commit-effects.ts";
import type { Clock } from "./async/clock.ts";
import type { ContextKeys } from "./adapters/call-options.ts";
import type { Registry } from "./job-types/registry.ts";
import type { Observer } from "./observe/observer.ts";
import type { ImplementedTypes } from "./lifecycle/implemented-types.ts";
import type { LocalListeners } from "./lifecycle/local-listeners.ts";
import type { SequencePoller } from "./lifecycle/sequence-poller.ts";

export interface Engine {
  readonly state: AnyStateAdapter;
  readonly notify: NotifyAdapter;
  /** Workers and waiters of this process, notified with or without the notify adapter. */
  readonly local: LocalListeners;
  /** Whether the user gave a notify adapter: without one, other processes are only found by polling. */
  readonly hasNotifyAdapter: boolean;
  readonly registry: Registry;
  readonly implementedTypes: ImplementedTypes;
  /** The most bytes of an input or an output. */
  readonly payloadBytesMax: number;
  readonly observer: Observer;
  readonly notifier: Notifier;
  readonly effects: EffectRouter;
  readonly transactions: OpenTransactions;
  readonly contextKeys: ContextKeys;
  readonly nesting: NestedTransactionGuard;
  readonly sequencePoller: SequencePoller;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Closes the timers and adapters of the engine itself. Adapters that were given stay open. */
  readonly close: () => Promise<void>;
}
