import { it as vitestIt } from "vitest";
import {
  extendWithCommon,
  extendWithStateInProcess,
  stateModelTestSuite,
} from "../../src/testing.ts";

const it = extendWithStateInProcess(extendWithCommon(vitestIt));

// The oracle against itself: shows that two right stores agree, and that every operation is playable.
stateModelTestSuite({ it, runs: 40 });
