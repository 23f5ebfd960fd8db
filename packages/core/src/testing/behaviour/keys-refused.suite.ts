import { expect } from "vitest";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { onePerCustomer } from "./one-per-customer.ts";
import { rejection } from "./rejection.ts";

export const keysRefusedSuite: BehaviourSuite = defineBehaviourSuite(
  "limits of keys, refused",
  (rule) => {
    rule("a key that cannot be derived is refused, and nothing is stored", async ({ open }) => {
      const client = await open({ limits: onePerCustomer });
      for (const input of [
        null,
        {},
        { customer: "" },
        { customer: "x".repeat(256) },
        { customer: 5 },
      ]) {
        expect(await rejection(client.start("task", { input }))).toMatchObject({
          code: "QUEUERT_LIMIT_KEY",
        });
      }
      expect((await client.queuert.listJobs({})).items).toEqual([]);
    });

    rule("options without meaning are refused", async ({ open }) => {
      const open_ = (limits: unknown) => rejection(open({ limits: limits as never }));
      for (const [limits, code] of [
        [{ jobTypes: { task: { limit: "crm" } } }, "QUEUERT_UNKNOWN_LIMIT"],
        [{ jobTypes: { task: {} } }, "QUEUERT_INVALID_OPTION"],
        [{ jobTypes: { task: { key: "customer" } } }, "QUEUERT_INVALID_OPTION"],
        [{ jobTypes: 5 }, "QUEUERT_INVALID_OPTION"],
        [{ declared: { task: { perKey: { concurrency: -1 } } } }, "QUEUERT_INVALID_LIMIT"],
        [{ declared: { task: { perKey: 5 } } }, "QUEUERT_INVALID_LIMIT"],
        [{ declared: { task: { agingMs: 0 } } }, "QUEUERT_INVALID_LIMIT"],
      ] as const) {
        expect(await open_(limits)).toMatchObject({ code });
      }
      const client = await open({ limits: onePerCustomer });
      const { queuert } = client;
      for (const [call, code] of [
        [queuert.setLimitKeys({ keys: [{ limit: "task", key: "" }] }), "QUEUERT_INVALID_OPTION"],
        [
          queuert.setLimitKeys({ keys: [{ limit: "task", key: "a", weight: 101 }] }),
          "QUEUERT_INVALID_LIMIT",
        ],
        [queuert.setLimitKeys({} as never), "QUEUERT_INVALID_OPTION"],
        [queuert.pause({ limit: "task", keys: [] }), "QUEUERT_INVALID_OPTION"],
        [queuert.pause({ limit: "task", jobTypes: ["task"] } as never), "QUEUERT_INVALID_OPTION"],
      ] as const) {
        expect(await rejection(call)).toMatchObject({ code });
      }
      expect(await queuert.getLimitKeys({ limit: "task" })).toEqual([]);
    });
  },
);
