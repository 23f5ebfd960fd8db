import { it as vitestIt } from "vitest";
import {
  extendWithCommon,
  extendWithStateInProcess,
  operatorTestSuite,
} from "../../src/testing.ts";

const it = extendWithStateInProcess(extendWithCommon(vitestIt));

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
