// Something has happened to these ids: every listener that cares is told, here and in the other processes.
import { createListenersByKey } from "./listeners-by-key.ts";
import { openNotifyChannel, type NotifyChannelOptions } from "./notify-channel.ts";

export interface IdListener {
  /** The ids listened for; undefined: all. */
  readonly ids: readonly string[] | undefined;
  readonly onId: (id: string) => void;
  readonly onReconnected: () => void;
}

export interface IdChannel {
  notify(ids: readonly string[]): Promise<void>;
  listen(listener: IdListener): Promise<() => Promise<void>>;
  retryNow(): void;
  close(): Promise<void>;
}

export interface IdChannelOptions extends Omit<NotifyChannelOptions, "onMessage"> {
  /** Calls a listener; never throws. */
  readonly call: (callback: () => void) => void;
}

export const openIdChannel = (options: IdChannelOptions): IdChannel => {
  const { call } = options;
  const listeners = new Set<IdListener>();
  const byId = createListenersByKey<IdListener>();
  const ofAllIds = new Set<IdListener>();

  const tell = (id: string): void => {
    for (const listener of [...ofAllIds, ...byId.of(id)]) {
      call(() => {
        listener.onId(id);
      });
    }
  };

  const channel = openNotifyChannel({
    ...options,
    onMessage: ({ entries }) => {
      for (const [id] of entries) tell(id);
    },
    onReconnected: () => {
      for (const listener of [...listeners]) call(listener.onReconnected);
      options.onReconnected();
    },
  });

  const add = (listener: IdListener): void => {
    listeners.add(listener);
    if (listener.ids === undefined) ofAllIds.add(listener);
    else byId.add(listener.ids, listener);
  };

  const remove = (listener: IdListener): void => {
    listeners.delete(listener);
    ofAllIds.delete(listener);
    byId.remove(listener.ids ?? [], listener);
  };

  return {
    ...channel,
    notify: async (ids) => {
      const distinct = new Set(ids);
      for (const id of distinct) tell(id);
      if (distinct.size > 0) await channel.publish([...distinct].map((id) => [id, 1] as const));
    },
    listen: (given) => {
      // An object of its own: the same listener may be given twice.
      const listener = { ...given };
      return channel.hold({
        add: () => {
          add(listener);
        },
        remove: () => {
          remove(listener);
        },
      });
    },
    close: () => {
      listeners.clear();
      byId.clear();
      ofAllIds.clear();
      return channel.close();
    },
  };
};
