// The adapters of a child: the real ones, wrapped so that they can be made to fail.
import { createQueuert } from "queuert";
import { errandLimits } from "../load/errand-types.ts";
import { jobTypes } from "../load/job-types.ts";
import type { LoadSurroundings } from "../load/run-plan.ts";
import { loadTransport } from "../notify/index.ts";
import type { Random } from "../random.ts";
import { loadStore } from "../stores/index.ts";
import { createFlakyState } from "./flaky-state.ts";
import { createLossyNotify } from "./lossy-notify.ts";
import type { ChildConfig } from "./protocol.ts";

export interface Load {
  readonly surroundings: LoadSurroundings;
  readonly setFlaky: (rate: number) => void;
  readonly setLate: (ms: number) => void;
  readonly exhaust: (ms: number) => Promise<void>;
  readonly setLossy: (rate: number) => void;
  readonly close: () => Promise<void>;
}

type Means = Pick<LoadSurroundings, "now" | "note" | "onError" | "isRepaired"> & {
  readonly random: Random;
};

/** The server may be gone at the same time: a supervisor starts the process again. */
const stubbornly = async <TResult>(
  doing: string,
  call: () => Promise<TResult>,
  { onError }: Pick<Means, "onError">,
): Promise<TResult> => {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      onError(doing, error);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
};

export const openLoad = async (config: ChildConfig, means: Means): Promise<Load> => {
  const { random, ...notes } = means;
  const { open } = await loadStore(config.store);
  const store = await stubbornly(
    "open the store",
    () => open(config.storeUrl, config.connectionsMax),
    means,
  );
  if (config.nextVersion !== null) await stubbornly("migrate", store.migrate, means);
  const flaky = createFlakyState(store.state, random);
  const transport =
    config.notify === "none"
      ? undefined
      : await (
          await loadTransport(config.notify)
        )(config.notifyUrl);
  const lossy = transport && createLossyNotify(transport.notify, random);
  const queuert = await createQueuert({
    stateAdapter: flaky.state,
    notifyAdapter: lossy?.notify,
    jobTypeDefinitions: jobTypes,
    limits: errandLimits,
    log: ({ level, message, error }) => {
      if (level === "error") notes.onError(message, error);
    },
  });
  return {
    surroundings: {
      ...notes,
      queuert,
      processName: config.name,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      writeRow: store.writeRow,
      rescheduled: new Map(),
    },
    setFlaky: flaky.setRate,
    setLate: flaky.setLate,
    exhaust: store.exhaust,
    setLossy: (rate) => lossy?.setRate(rate),
    close: async () => {
      await queuert.close();
      await transport?.notify.close();
      await transport?.close();
      await store.close();
    },
  };
};
