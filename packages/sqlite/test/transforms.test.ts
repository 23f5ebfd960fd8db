// Behaviours that write or read texts hold with compressed and encrypted ones, too.
import { compress, encrypt } from "queuert";
import { withTransforms } from "queuert/internal";
import {
  blockersTestSuite,
  extendWithCommon,
  extendWithNotifyNoop,
  extendWithState,
  processTestSuite,
  readTestSuite,
  sequencesTestSuite,
} from "queuert/testing";
import { it as vitestIt } from "vitest";
import { openSqliteState } from "../src/testing.ts";
import { openBetterSqlite3 } from "./drivers.ts";

const keys = { current: "k", byId: { k: new Uint8Array(32).fill(7) } };
const transforms = [compress({ aboveBytes: 0 }), encrypt({ keys })];

const it = extendWithState(extendWithCommon(vitestIt), async () => {
  const { secondStateAdapter, stateAdapter, ...harness } = await openSqliteState(openBetterSqlite3);
  return {
    ...harness,
    stateAdapter: withTransforms(stateAdapter, transforms),
    secondStateAdapter: withTransforms(secondStateAdapter ?? stateAdapter, transforms),
  };
});

for (const suite of [sequencesTestSuite, blockersTestSuite, processTestSuite, readTestSuite])
  suite({ it: extendWithNotifyNoop(it) });
