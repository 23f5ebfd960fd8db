// Makes a NotifyAdapter of anything that can publish and subscribe: see `notify-transport.ts` for what that takes.
// What all such adapters have in common is decided here and in the files it imports, once:
// - three channels; what a listener cares for is decided by the payload, so subscriptions do not grow with listeners;
// - one subscription per channel and process (`shared-subscription.ts`);
// - listeners of the same process are told directly, and a message that comes back over the wire tells nobody twice;
// - publishing gathers while it is busy, and is bounded (`notify-outbox.ts`).
import { randomUUID } from "node:crypto";
import type { NotifyAdapter, StopListening } from "../adapters/notify-adapter.ts";
import { openIdChannel, type IdChannelOptions } from "./id-channel.ts";
import { openJobScheduledChannel } from "./job-scheduled-channel.ts";
import { notifyLimits } from "./notify-channel.ts";
import { createNotifyCounters, type NotifyStats } from "./notify-stats.ts";
import type { NotifyTransport } from "./notify-transport.ts";
import { withinTime } from "./within-time.ts";

export interface ChannelNotifyAdapter extends NotifyAdapter {
  /** Counters since the adapter was made. */
  stats(): NotifyStats;
}

export interface ChannelNotifyAdapterOptions {
  readonly transport: NotifyTransport;
  /**
   * Told of errors that no caller waits for: a hint that could not be taken, a subscription that could not be ended
   * with its connection gone, a listener that threw. All of them cost latency at most.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const createChannelNotifyAdapter = ({
  transport,
  onError = () => undefined,
}: ChannelNotifyAdapterOptions): ChannelNotifyAdapter => {
  const counters = createNotifyCounters();

  const shared: Omit<IdChannelOptions, "channel"> = {
    transport,
    instanceId: randomUUID(),
    counters,
    report: onError,
    call: (callback) => {
      try {
        callback();
      } catch (error) {
        // One listener must keep the message from no other, nor break the connection's reader.
        onError(error);
      }
    },
    onReconnected: () => {
      for (const { retryNow } of channels) retryNow();
    },
  };

  const jobScheduled = openJobScheduledChannel(shared);
  const sequenceCompleted = openIdChannel({ ...shared, channel: "sequenceCompleted" });
  const ownershipLost = openIdChannel({ ...shared, channel: "ownershipLost" });
  const channels = [jobScheduled, sequenceCompleted, ownershipLost];

  const closeAll = async (): Promise<void> => {
    await Promise.all(channels.map((channel) => channel.close()));
    await withinTime(transport.close(), notifyLimits.subscribeTimeoutMs, "Closing the transport");
  };
  let closing: Promise<void> | undefined;
  const unlessClosed = (notify: () => Promise<void>): Promise<void> =>
    closing === undefined ? notify() : Promise.resolve();

  return {
    notifyJobScheduled: (hints) => unlessClosed(() => jobScheduled.notify(hints)),
    listenJobScheduled: (listener): Promise<StopListening> => jobScheduled.listen(listener),

    notifyJobSequenceCompleted: (ids) => unlessClosed(() => sequenceCompleted.notify(ids)),
    listenJobSequenceCompleted: ({ sequenceIds, onSequenceCompleted }): Promise<StopListening> =>
      sequenceCompleted.listen({
        ids: sequenceIds,
        onId: onSequenceCompleted,
        onReconnected: () => {
          for (const id of sequenceIds) onSequenceCompleted(id);
        },
      }),

    notifyJobOwnershipLost: (ids) => unlessClosed(() => ownershipLost.notify(ids)),
    listenJobOwnershipLost: ({ onOwnershipLost, onReconnected }): Promise<StopListening> =>
      ownershipLost.listen({
        ids: undefined,
        onId: onOwnershipLost,
        onReconnected: () => onReconnected?.(),
      }),

    stats: () => ({ ...counters }),
    close: () => (closing ??= closeAll()),
  };
};
