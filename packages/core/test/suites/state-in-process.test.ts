import { it as vitestIt } from "vitest";
import {
  extendWithCommon,
  extendWithStateInProcess,
  stateAdapterTestSuite,
} from "../../src/testing.ts";

const it = extendWithStateInProcess(extendWithCommon(vitestIt));

stateAdapterTestSuite({ it });
