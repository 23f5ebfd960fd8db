import { expect } from "vitest";
import type { NotifyAdapter } from "../../adapters/notify-adapter.ts";
import { createNoopNotifyAdapter } from "../../in-process/create-noop-notify-adapter.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { overrideNotify } from "./override-notify.ts";
import { watchClaims } from "./watch-claims.ts";

/** The client waits for a server that does not respond, by its own clock. */
const clockTimes = 10;
/** Longer than a case may take: no poll finds a job in time. */
const longPollMs = 60_000 * clockTimes;
const promptMs = 10_000 * clockTimes;

/** Every method but `close`. */
const replaceAll = (method: () => Promise<never>): Omit<NotifyAdapter, "close"> => ({
  notifyJobScheduled: method,
  notifyJobSequenceCompleted: method,
  notifyJobOwnershipLost: method,
  listenJobScheduled: method,
  listenJobSequenceCompleted: method,
  listenJobOwnershipLost: method,
});

const refuse = (): Promise<never> => Promise.reject(new Error("no connection"));

const never = (): Promise<never> => new Promise(() => undefined);

/** Ways in which a notify adapter brings nothing back to its own process. */
const brokenAdapters: readonly (readonly [
  name: string,
  breakAdapter: (adapter: NotifyAdapter) => NotifyAdapter,
])[] = [
  ["an adapter that sends nothing", () => createNoopNotifyAdapter()],
  ["an adapter that refuses", (adapter) => overrideNotify(adapter, replaceAll(refuse))],
  [
    "an adapter whose server does not respond",
    (adapter) => overrideNotify(adapter, replaceAll(never)),
  ],
];

/** A worker finds due jobs of its own process at once, even if the notify adapter fails. */
export const brokenNotifySuite: BehaviourSuite = defineBehaviourSuite("broken notify", (rule) => {
  for (const [name, breakAdapter] of brokenAdapters) {
    rule(`due work of the own process needs no notify adapter: ${name}`, async (context) => {
      const { open, stateAdapter, notifyAdapter } = context;
      const { adapter, untilIdle } = watchClaims(stateAdapter);
      const client = await open({
        clockTimes,
        stateAdapter: adapter,
        notifyAdapter: breakAdapter(notifyAdapter),
      });
      const options = { pollIntervalMs: longPollMs };
      let steps = 0;
      await client.work(
        {
          next: {
            retryConfig: { initialDelayMs: 1 },
            process: async ({ job, complete }) => {
              if (job.attempt === 1) throw new Error("the next attempt is due in 1 ms");
              steps += 1;
              return steps < 3
                ? complete.continueWith({ typeName: "next", input: null })
                : complete("end");
            },
          },
        },
        options,
      );
      await client.work(
        {
          first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
          waiting: async ({ job, complete }) => complete(job.blockers.length),
        },
        options,
      );
      await untilIdle(2);
      const first = await client.start("first");
      const waiting = await client.start("waiting", {
        startBlockers: () => Promise.resolve([first]),
      });
      const ended = client.queuert.waitForJobSequenceCompletion({
        typeName: "waiting",
        id: waiting.id,
        timeoutMs: promptMs,
        pollIntervalMs: longPollMs,
      });
      expect(await ended).toMatchObject({ output: 1 });
    });
  }
});
