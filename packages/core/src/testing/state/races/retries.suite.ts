import { expect } from "vitest";
import { interleavings, nameInterleaving, race } from "../../race.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import { eventually, graceMs, settlesWithin, within } from "../../waiting.ts";

export const retryRaceSuite: StateSuite = defineStateSuite("races, retries", (rule) => {
  for (const interleaving of interleavings) {
    const order = nameInterleaving(interleaving);

    rule(
      `a dependant retried while it fails with its blocker stays failed: ${order}`,
      async (test) => {
        const { steps, secondStateAdapter } = test;
        const blocker = await steps.createRunning({ typeName: "blocker" });
        const { id } = await steps.createBlocked([blocker], { onBlockerFailure: "fail" });
        const { second } = await race(test, {
          ...interleaving,
          first: (inside) => inside.fail(blocker),
          second: (_inside, context) => secondStateAdapter.retryFailedJobs({ context, ids: [id] }),
        });
        expect(second).toMatchObject([{ kind: "refused" }]);
        if (interleaving.firstEnds === "rollback") await steps.fail(blocker);
        expect((await steps.get({ id })).status).toBe("failed");
      },
    );
  }

  rule("a dependant retried while its blocker fails, comes back and fails again", async (test) => {
    const { steps, stateAdapter, secondStateAdapter, holdTransaction } = test;
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const { id } = await steps.createBlocked([blocker], { onBlockerFailure: "fail" });
    const last = await steps.createFailed({ typeName: "last" });
    const failing = holdTransaction(stateAdapter, (inside) => inside.fail(blocker));
    await within(failing.operated, "the failure");
    const holding = holdTransaction(stateAdapter, (_inside, context) =>
      stateAdapter.lockSequences({ context, ids: [last.id] }),
    );
    await settlesWithin(holding.operated, graceMs);
    // Where rows are locked, the retry has looked before the dependant failed, and goes on when the last job is free.
    const retrying = holdTransaction(secondStateAdapter, (_inside, context) =>
      secondStateAdapter.retryFailedJobs({ context, ids: [id, last.id] }),
    );
    await settlesWithin(retrying.operated, graceMs);
    failing.end("commit");
    await settlesWithin(failing.done, graceMs);
    const takeAgain = async () => {
      await stateAdapter.retryFailedJobs({ ids: [blocker.id] });
      const look = async () => (await steps.acquire({ typeName: "blocker" }))[0]?.job;
      return eventually(look, "the blocker again");
    };
    const taken = takeAgain();
    await settlesWithin(taken, graceMs);
    holding.end("commit");
    await settlesWithin(retrying.operated, graceMs);
    const failedAgain = taken.then((job) => steps.fail(job));
    await settlesWithin(failedAgain, graceMs);
    retrying.end("commit");
    await within(Promise.all([failing.done, holding.done, retrying.done]), "the transactions");
    expect(await within(failedAgain, "the second failure")).toBe("failed");
    // Failed with its blocker, or refused its retry: nothing is left that would ever end its waiting.
    expect((await steps.get({ id })).status).toBe("failed");
  });
});
