// The methods for operators, on each server.
import { extendWithCommon, operatorTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { connectPg, lazyDatabaseUrl, servers } from "./fixtures.ts";

for (const [name, databases] of servers) {
  describe(`pg on ${name}`, () => {
    const url = lazyDatabaseUrl(databases);
    operatorTestSuite({
      it: extendWithStatePostgres(extendWithCommon(it), {
        connect: async () => connectPg(await url()),
      }),
      methods: [
        "readClock",
        "examineJobs",
        "countJobs",
        "findIds",
        "listDependants",
        "findLocks",
        "checkHealth",
        "countAhead",
        "findKeys",
        "listAttempts",
        "appendLogs",
        "listLogs",
        "listNext",
        "listProgress",
        "beat",
        "listWorkers",
        "recordMetrics",
        "listMetrics",
        "beginAction",
        "finishAction",
        "listActions",
        "listLimitKeys",
        "expireLeases",
      ],
    });
  });
}
