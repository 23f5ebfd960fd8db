// Behaviours that write or read texts hold with compressed and encrypted ones, too.
import { it as vitestIt } from "vitest";
import { compress } from "../../src/payloads/compress.ts";
import { encrypt } from "../../src/payloads/encrypt.ts";
import { withTransforms } from "../../src/payloads/with-transforms.ts";
import * as suites from "../../src/testing/behaviour/describe-behaviour.ts";
import { extendWithCommon } from "../../src/testing/extend-with-common.ts";
import { extendWithNotifyInProcess } from "../../src/testing/extend-with-notify.ts";
import { openInProcessState } from "../../src/testing/extend-with-state-in-process.ts";
import { extendWithState } from "../../src/testing/extend-with-state.ts";

const keys = { current: "k", byId: { k: new Uint8Array(32).fill(7) } };
const transforms = [compress({ aboveBytes: 0 }), encrypt({ keys })];

const it = extendWithState(extendWithCommon(vitestIt), async () => {
  const harness = await openInProcessState();
  return { ...harness, stateAdapter: withTransforms(harness.stateAdapter, transforms) };
});

for (const suite of [
  suites.sequencesTestSuite,
  suites.blockersTestSuite,
  suites.processTestSuite,
  suites.deduplicationTestSuite,
  suites.waitTestSuite,
  suites.workerlessCompletionTestSuite,
  suites.readTestSuite,
])
  suite({ it: extendWithNotifyInProcess(it) });
