// The steps that the cases about signals share.
import type { SentSignal } from "../../public-types/signals.ts";
import type { BehaviourClient, StartedSequence } from "./behaviour-client.ts";

export const key = "order:1";

export const send = (
  { queuert }: BehaviourClient,
  tx: object,
  payload: string,
): Promise<readonly SentSignal[]> =>
  queuert.sendSignals({ ...tx, signals: [{ typeName: "approval", key, payload }] });

/** Starts a job that waits for the signal. */
export const expectIt = (client: BehaviourClient, tx: object): Promise<StartedSequence> =>
  client.startIn(tx, "waiting", {
    startBlockers: async () => [
      await client.queuert.expectSignal({ ...tx, typeName: "approval", key }),
    ],
  });

/** Ends the job with the payloads that it waited for. */
export const workOn = (client: BehaviourClient): Promise<unknown> =>
  client.work({
    waiting: async ({ job, complete }) => complete(job.blockers.map(({ output }) => output)),
  });
