import { extendWithCommon, operatorTestSuite } from "queuert/testing";
import { describe, it as vitestIt } from "vitest";
import { extendWithStateSqlite } from "../src/testing.ts";
import { drivers } from "./drivers.ts";

describe.each(drivers)("%s", (_name, open) => {
  const it = extendWithStateSqlite(extendWithCommon(vitestIt), open);
  operatorTestSuite({
    it,
    methods: [
      "readClock",
      "examineJobs",
      "countJobs",
      "findIds",
      "listDependants",
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
