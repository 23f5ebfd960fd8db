import { expect } from "vitest";
import type { SentSignal } from "../../public-types/signals.ts";
import { graceMs, settlesWithin } from "../waiting.ts";
import type { BehaviourCaseContext } from "./behaviour-case.ts";
import type { BehaviourClient, StartedSequence } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { expectIt, send, workOn } from "./signal-steps.ts";

type Operation = (client: BehaviourClient, tx: object) => Promise<unknown>;

/** The first transaction has done its work and stays open while the second begins. Then it commits, or rolls back. */
const overlap = async (
  { open, openSecond, gate }: BehaviourCaseContext,
  first: Operation,
  second: Operation,
  end: "commits" | "rolls back",
): Promise<BehaviourClient> => {
  const one = await open();
  const two = await openSecond();
  const held = gate();
  const rolledBack = new Error("rolled back");
  const ending = one.transact(async (tx) => {
    await first(one, tx);
    await held.pass();
    if (end === "rolls back") throw rolledBack;
  });
  await held.arrived();
  const beside = two.transact((tx) => second(two, tx));
  await settlesWithin(beside, graceMs);
  held.open();
  await ending.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  await beside;
  return one;
};

/** Sends and expectations in two transactions that overlap. */
export const signallingAtOnceSuite: BehaviourSuite = defineBehaviourSuite(
  "signalling at once",
  (rule) => {
    for (const end of ["commits", "rolls back"] as const) {
      rule(`a send beside an expectation that ${end} is delivered once`, async (context) => {
        let late: StartedSequence | null = null;
        const client = await overlap(
          context,
          async (one, tx) => {
            late = await expectIt(one, tx);
          },
          async (two, tx) => {
            expect(await send(two, tx, "met")).toMatchObject([{ sent: true }]);
          },
          end,
        );
        await workOn(client);
        if (end === "rolls back") late = await client.transact((tx) => expectIt(client, tx));
        expect(await client.until(late ?? { id: "" })).toMatchObject({ output: ["met"] });
      });

      rule(`an expectation beside a send that ${end} finds it, or a later one`, async (context) => {
        let waiting: StartedSequence | null = null;
        const client = await overlap(
          context,
          (one, tx) => send(one, tx, "first"),
          async (two, tx) => {
            waiting = await expectIt(two, tx);
          },
          end,
        );
        await workOn(client);
        const [second] = await client.transact((tx) => send(client, tx, "second"));
        expect(second?.sent).toBe(end === "rolls back");
        const output = [end === "commits" ? "first" : "second"];
        expect(await client.until(waiting ?? { id: "" })).toMatchObject({ output });
      });

      rule(`of two senders at once one wins, if the first ${end}`, async (context) => {
        let later: readonly SentSignal[] = [];
        const client = await overlap(
          context,
          (one, tx) => send(one, tx, "first"),
          async (two, tx) => {
            later = await send(two, tx, "second");
          },
          end,
        );
        expect(later).toMatchObject([{ sent: end === "rolls back" }]);
        const output = end === "commits" ? "first" : "second";
        expect(await client.sequence(later[0] ?? { id: "" })).toMatchObject({ output });
      });
    }
  },
);
