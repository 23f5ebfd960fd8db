// One case of a behaviour suite: clients and workers over a pair of adapters, all of them ended when the case has.
import type { NotifyAdapter } from "../../adapters/notify-adapter.ts";
import type {
  AnyStateAdapter,
  BaseStateAdapterContext,
  StateAdapterCapabilities,
} from "../../adapters/state-adapter.ts";
import type { PayloadCodec } from "../../model/payload.ts";
import type { RunningWorker } from "../../public-types/worker.ts";
import { type Random, seededRandom } from "../random.ts";
import type { StateAdapterHarness } from "../state-harness.ts";
import { eventually, within } from "../waiting.ts";
import { type BehaviourClient, openBehaviourClient, type OpenOptions } from "./behaviour-client.ts";
import { createGate, type Gate } from "./gate.ts";
import { createTrackedClock } from "./tracked-clock.ts";
import { jobsAsUserRows, type UserRows } from "./user-rows.ts";

/** The store under test, as the behaviour suites need it. */
export interface BehaviourHarness extends StateAdapterHarness {
  /** Left out by stores that keep nothing but jobs; `clear` empties it too. */
  readonly userRows?: UserRows | undefined;
}

export interface BehaviourPair {
  readonly stateHarness: BehaviourHarness;
  readonly notifyAdapter: NotifyAdapter;
  /** The same adapter where there is no transport. */
  readonly secondNotifyAdapter: NotifyAdapter;
  /** Of the clients of all cases. Default: none. */
  readonly codec?: PayloadCodec | undefined;
}

/** The fixtures of each case of a behaviour suite. */
export interface BehaviourCaseContext {
  readonly stateAdapter: AnyStateAdapter;
  /** The same adapter where there can be no second. */
  readonly secondStateAdapter: AnyStateAdapter;
  readonly notifyAdapter: NotifyAdapter;
  readonly secondNotifyAdapter: NotifyAdapter;
  readonly capabilities: StateAdapterCapabilities;
  readonly userRows: UserRows;
  readonly poisonTransaction: ((context: BaseStateAdapterContext) => Promise<void>) | undefined;
  /** A client on the pair; closed after the case, its workers stopped. */
  readonly open: (options?: OpenOptions) => Promise<BehaviourClient>;
  /** The same on the second adapters, as another process has it. */
  readonly openSecond: (options?: OpenOptions) => Promise<BehaviourClient>;
  /** A barrier. It is opened after the case, even after a failure. */
  readonly gate: () => Gate;
  readonly random: Random;
  readonly seed: number;
}

/** Runs a case, ends the workers that it started, and checks for leaks. */
export const runBehaviourCase = async (
  run: (context: BehaviourCaseContext) => Promise<void>,
  { stateHarness, notifyAdapter, secondNotifyAdapter, codec: given }: BehaviourPair,
  seed: number,
): Promise<void> => {
  const { stateAdapter, secondStateAdapter = stateAdapter } = stateHarness;
  const { isTransactionConflict = () => false } = stateHarness;
  const codec = given ?? null;
  const { clock, pendingTimers } = createTrackedClock();
  const gates: Gate[] = [];
  const clients: BehaviourClient[] = [];
  const workers: RunningWorker[] = [];
  const end = async (): Promise<void> => {
    for (const gate of gates) gate.open();
    await within(Promise.all(workers.map((worker) => worker.stop())), "the workers to stop");
    await within(
      Promise.all(clients.map(({ queuert }) => queuert.close())),
      "the clients to close",
    );
  };
  const openWith =
    (pair: Parameters<typeof openBehaviourClient>[0]): BehaviourCaseContext["open"] =>
    async (options) => {
      const client = await openBehaviourClient(pair, clock, (one) => workers.push(one), options);
      clients.push(client);
      return client;
    };
  const context: BehaviourCaseContext = {
    stateAdapter,
    secondStateAdapter,
    notifyAdapter,
    secondNotifyAdapter,
    capabilities: stateAdapter.capabilities,
    userRows: stateHarness.userRows ?? jobsAsUserRows(stateAdapter),
    poisonTransaction: stateHarness.poisonTransaction,
    open: openWith({ stateAdapter, notifyAdapter, isTransactionConflict, codec }),
    openSecond: openWith({
      stateAdapter: secondStateAdapter,
      notifyAdapter: secondNotifyAdapter,
      isTransactionConflict,
      codec,
    }),
    gate: () => {
      const gate = createGate();
      gates.push(gate);
      return gate;
    },
    random: seededRandom(seed),
    seed,
  };
  try {
    await run(context);
  } catch (error) {
    // An error of the case matters more than an error of its clean-up.
    await end().catch(() => undefined);
    throw error;
  }
  await end();
  await eventually(
    () => Promise.resolve(pendingTimers() === 0 ? true : undefined),
    "no timer left behind by a stopped worker or a closed client",
    2_000,
  );
};
