// Hints that jobs have changed, for pages that are open. They come from notifications, and leave these to workers.
// Polling stays the truth: a hint only makes the next look earlier.
import type { JobScheduledListener } from "../adapters/notify-adapter.ts";
import type { Engine } from "../engine.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertFunction, assertName, assertObject } from "../model/assert-option.ts";

/** How a page hears of changes. */
export interface WatchOptions {
  /** The sequences whose end is told. Default: none. */
  readonly sequenceIds?: readonly string[] | undefined;
  /** Jobs may have changed: look again. It is called often, and first when it listens. It must be cheap. An error is dropped. */
  readonly onHint: () => void;
}

/** Ends the hints. */
export type StopWatching = () => void;

/** `typeNames`: the job types whose due jobs are told by other processes. */
export const watch = (
  { local, notify }: Pick<Engine, "local" | "notify">,
  { sequenceIds = [], onHint: told }: WatchOptions,
  typeNames: readonly string[],
): StopWatching => {
  const onHint = (): void => {
    try {
      told();
    } catch {
      // The start or the end of a job must not fail by a page that looks on.
    }
  };
  const listener: JobScheduledListener = {
    typeNames,
    onJobScheduled: onHint,
    // The offer is the hint. Without room the jobs are left to workers.
    demand: (_typeName, offered = 1) => {
      if (offered > 0) onHint();
      return 0;
    },
  };
  const unobserve = local.addObserver(onHint);
  const listening = [
    notify.listenJobScheduled(listener),
    notify.listenJobSequenceCompleted({ sequenceIds, onSequenceCompleted: onHint }),
  ].map((each) =>
    // The adapter reports its own errors. The hints of this process are left.
    each.catch(() => async () => undefined),
  );
  // Changes of other processes may have been missed until now.
  void Promise.all(listening).then(onHint);
  return () => {
    unobserve();
    // A server that does not respond must not delay the page.
    for (const each of listening) void each.then((stop) => stop()).catch(() => undefined);
  };
};

export const assertWatchOptions = (options: WatchOptions): void => {
  assertObject(options, "options");
  assertKnownOptions(options, ["sequenceIds", "onHint"]);
  assertFunction(options.onHint, "onHint");
  for (const id of options.sequenceIds ?? []) assertName(id, "sequenceIds");
};
