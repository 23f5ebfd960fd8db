// Two notify adapters as in two processes: one listens, one notifies. After any fault, every broker
// must do the same. The notifier does not wait for long, and a notification after the fault
// arrives.
import { expect, vi } from "vitest";

/** The interface that the pair needs of a notify adapter: this package imports no adapter. */
interface ListeningAdapter {
  readonly listenJobScheduled: (input: {
    readonly typeNames: readonly string[];
    readonly onJobScheduled: () => void;
  }) => Promise<unknown>;
  readonly notifyJobScheduled: (
    jobs: readonly { readonly typeName: string; readonly count: number }[],
  ) => Promise<void>;
  readonly stats: () => { readonly reconnected: number };
}

interface OpenedAdapter {
  readonly adapter: ListeningAdapter;
}

export interface NotifyPair<TOpened extends OpenedAdapter> {
  readonly listener: TOpened;
  readonly notifier: TOpened;
  readonly notify: () => Promise<void>;
  /** How often the listener was told. */
  readonly heard: () => number;
}

vi.setConfig({ testTimeout: 120_000 });

/** A pair that has been shown to work. */
export const connectPair = async <TOpened extends OpenedAdapter>(
  listener: TOpened,
  notifier: TOpened,
): Promise<NotifyPair<TOpened>> => {
  let heard = 0;
  await listener.adapter.listenJobScheduled({
    typeNames: ["email"],
    onJobScheduled: () => (heard += 1),
  });
  const notify = (): Promise<void> =>
    notifier.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
  await notify();
  await vi.waitFor(() => expect(heard).toBe(1));
  return { listener, notifier, notify, heard: () => heard };
};

/** Has been told something since. */
export const expectHeardSince = async (
  { heard }: Pick<NotifyPair<OpenedAdapter>, "heard">,
  before: number,
): Promise<void> => {
  await vi.waitFor(() => expect(heard()).toBeGreaterThan(before));
};

/** The listener has connected again, and receives notifications from then on. */
export const expectRecovery = async ({
  listener,
  notify,
  heard,
}: NotifyPair<OpenedAdapter>): Promise<void> => {
  await vi.waitFor(() => expect(listener.adapter.stats().reconnected).toBeGreaterThan(0));
  const before = heard();
  const hears = async (): Promise<void> => {
    await notify();
    expect(heard()).toBeGreaterThan(before);
  };
  await vi.waitFor(hears);
};

/** Once a broker does not answer, the next call does not ask it again: it has an error of its own. */
export const expectRefusal = async ({
  notify,
}: Pick<NotifyPair<OpenedAdapter>, "notify">): Promise<void> => {
  await expect(notify()).rejects.toThrow("cannot be published now");
};

/** Fails, and does not keep the caller until the broker is back. */
export const rejectsSoon = async (notify: () => Promise<void>): Promise<void> => {
  await expect(notify()).rejects.toThrow();
};
