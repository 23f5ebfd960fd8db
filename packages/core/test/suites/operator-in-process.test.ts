import { it as vitestIt } from "vitest";
import {
  extendWithCommon,
  extendWithStateInProcess,
  operatorTestSuite,
} from "../../src/testing.ts";

const it = extendWithStateInProcess(extendWithCommon(vitestIt));

operatorTestSuite({
  it,
  methods: ["readClock", "examineJobs", "countAhead", "beat", "listWorkers", "expireLeases"],
});
