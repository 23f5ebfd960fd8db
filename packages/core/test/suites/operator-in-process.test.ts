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
    "countAhead",
    "listAttempts",
    "beat",
    "listWorkers",
    "beginAction",
    "finishAction",
    "listActions",
    "expireLeases",
  ],
});
