import { expect } from "vitest";
import type { NotifyAdapter } from "../../adapters/notify-adapter.ts";
import { defineNotifySuite } from "../notify-harness.ts";
import type { NotifySuite } from "../notify-harness.ts";
import { eventually, graceMs, sleep } from "../waiting.ts";
import { listenForTypes, untilTold } from "./listening.ts";
import type { Told } from "./listening.ts";

const listeners = 8;

const listenAll = (
  one: NotifyAdapter,
  other: NotifyAdapter,
  typeName: string,
  demand?: () => number,
): Promise<Told[]> =>
  Promise.all(
    Array.from({ length: listeners }, (_, index) =>
      listenForTypes(index % 2 === 0 ? one : other, [typeName], demand),
    ),
  );

const wokenOf = (all: readonly Told[]): number =>
  all.filter(({ calls }) => calls.length > 0).length;

const untilWoken = (all: readonly Told[], count: number): Promise<true> =>
  eventually(
    () => Promise.resolve(wokenOf(all) >= count ? true : undefined),
    `${count} of ${all.length} listeners to be woken`,
  );

const stopAll = (all: readonly Told[]): Promise<unknown> =>
  Promise.all(all.map(({ stop }) => stop()));

export const wakeHintsSuite: NotifySuite = defineNotifySuite("notify, wake hints", (rule) => {
  for (const count of [1, 3]) {
    rule(
      `With hint counts, \`count\` jobs wake listeners for about \`count\` jobs: ${count} of ${listeners}`,
      async ({ notifyAdapter, secondNotifyAdapter }) => {
        const all = await listenAll(notifyAdapter, secondNotifyAdapter, "mail", () => 1);
        await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count }]);
        await untilWoken(all, count);
        await sleep(graceMs * 2);
        expect(wokenOf(all)).toBe(count);
        await stopAll(all);
      },
    );
  }

  rule(
    "more jobs than room wake every listener",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const all = await listenAll(notifyAdapter, secondNotifyAdapter, "mail", () => 1);
      await secondNotifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 100 }]);
      await untilWoken(all, listeners);
      await stopAll(all);
    },
  );

  rule(
    "An adapter that keeps hint counts takes that many for it",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const all = await listenAll(notifyAdapter, secondNotifyAdapter, "mail", () => 10);
      await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 10 }]);
      await untilWoken(all, 1);
      await sleep(graceMs * 2);
      expect(wokenOf(all)).toBe(1);
      await stopAll(all);
    },
  );

  rule(
    "leaves a listener with 0 alone: the hint is there for an idle one.",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const busy = [
        await listenForTypes(notifyAdapter, ["mail"], () => 0),
        await listenForTypes(secondNotifyAdapter, ["mail"], () => 0),
      ];
      const idle = await listenForTypes(secondNotifyAdapter, ["mail"], () => 1);
      await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 2 }]);
      await untilTold(idle, "mail");
      await sleep(graceMs);
      expect(wokenOf(busy)).toBe(0);
      await stopAll([...busy, idle]);
    },
  );

  rule("Absent: 1.", async ({ notifyAdapter, secondNotifyAdapter }) => {
    const all = await listenAll(notifyAdapter, secondNotifyAdapter, "mail");
    await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 2 }]);
    await untilWoken(all, 2);
    await sleep(graceMs * 2);
    expect(wokenOf(all)).toBe(2);
    await stopAll(all);
  });

  rule("each type has its own count", async ({ notifyAdapter, secondNotifyAdapter }) => {
    const mail = await listenAll(notifyAdapter, secondNotifyAdapter, "mail", () => 1);
    const report = await listenAll(notifyAdapter, secondNotifyAdapter, "report", () => 1);
    await notifyAdapter.notifyJobScheduled([
      { typeName: "mail", count: 1 },
      { typeName: "report", count: 2 },
    ]);
    await untilWoken(mail, 1);
    await untilWoken(report, 2);
    await sleep(graceMs * 2);
    expect([wokenOf(mail), wokenOf(report)]).toEqual([1, 2]);
    await stopAll([...mail, ...report]);
  });

  rule(
    "a hint that was taken does not wake for the next one too",
    async ({ notifyAdapter, secondNotifyAdapter }) => {
      const all = await listenAll(notifyAdapter, secondNotifyAdapter, "mail", () => 1);
      let calls = 0;
      for (let round = 1; round <= 5; round += 1) {
        await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
        await sleep(graceMs);
        calls = all.reduce((sum, each) => sum + each.calls.length, 0);
        expect(calls).toBe(round);
      }
      await stopAll(all);
    },
  );
});

export const everyListenerSuite: NotifySuite = defineNotifySuite(
  "notify, without hints",
  (rule) => {
    rule(
      "without hint counts every listener looks",
      async ({ notifyAdapter, secondNotifyAdapter }) => {
        const all = await listenAll(notifyAdapter, secondNotifyAdapter, "mail", () => 1);
        await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: listeners }]);
        await untilWoken(all, listeners);
        await stopAll(all);
      },
    );

    rule(
      "a listener in another process is woken, beside any others",
      async ({ notifyAdapter, secondNotifyAdapter }) => {
        const near = await listenForTypes(notifyAdapter, ["mail"], () => 1);
        const far = await listenForTypes(secondNotifyAdapter, ["mail"], () => 1);
        await notifyAdapter.notifyJobScheduled([{ typeName: "mail", count: 1 }]);
        await untilTold(far, "mail");
        await stopAll([near, far]);
      },
    );
  },
);
