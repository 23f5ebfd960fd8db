// The methods for operators, on a real replica set.
import { providedMongodb } from "@queuert/test-services/provided";
import { extendWithCommon, operatorTestSuite } from "queuert/testing";
import { it } from "vitest";
import { extendWithStateMongodb } from "../src/testing.ts";

const extended = extendWithStateMongodb(extendWithCommon(it), () => ({
  url: providedMongodb().url,
}));

operatorTestSuite({
  it: extended,
  methods: [
    "readClock",
    "examineJobs",
    "countJobs",
    "findIds",
    "listDependants",
    "checkHealth",
    "countAhead",
    "findKeys",
    "listLimitKeys",
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
    "expireLeases",
  ],
});
