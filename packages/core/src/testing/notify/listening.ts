import type { JobScheduledListener, NotifyAdapter } from "../../adapters/notify-adapter.ts";
import { eventually, within } from "../waiting.ts";

/** The notifications of a listener so far, one entry per call. */
export interface Told {
  readonly calls: string[];
  readonly stop: () => Promise<void>;
}

/** Listens for types; `demand` as given. */
export const listenForTypes = async (
  adapter: NotifyAdapter,
  typeNames: readonly string[],
  demand?: JobScheduledListener["demand"],
): Promise<Told> => {
  const calls: string[] = [];
  const onJobScheduled = (typeName: string): void => {
    calls.push(typeName);
  };
  const listening = adapter.listenJobScheduled({ typeNames, onJobScheduled, demand });
  return { calls, stop: await within(listening, "listenJobScheduled") };
};

/** Listens for the ends of sequences. */
export const listenForSequences = async (
  adapter: NotifyAdapter,
  sequenceIds: readonly string[],
): Promise<Told> => {
  const calls: string[] = [];
  const onSequenceCompleted = (id: string): void => {
    calls.push(id);
  };
  const listening = adapter.listenJobSequenceCompleted({ sequenceIds, onSequenceCompleted });
  return { calls, stop: await within(listening, "listenJobSequenceCompleted") };
};

/** Listens for lost jobs; a connection that is back is told as `reconnected`. */
export const listenForLosses = async (adapter: NotifyAdapter): Promise<Told> => {
  const calls: string[] = [];
  const listening = adapter.listenJobOwnershipLost({
    onOwnershipLost: (id) => {
      calls.push(id);
    },
    onReconnected: () => {
      calls.push(reconnected);
    },
  });
  return { calls, stop: await within(listening, "listenJobOwnershipLost") };
};

export const reconnected = "reconnected";

/** Waits until a listener has been told of something. */
export const untilTold = async ({ calls }: Told, what: string): Promise<void> => {
  await eventually(
    () => Promise.resolve(calls.includes(what) ? true : undefined),
    `a listener to be told of ${what}`,
  );
};

/** An id without another listener. */
export const newId = (): string => globalThis.crypto.randomUUID();
