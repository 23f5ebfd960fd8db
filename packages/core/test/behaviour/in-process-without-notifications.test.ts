import { it as vitestIt } from "vitest";
import { behaviourTestSuite } from "../../src/testing/behaviour/describe-behaviour.ts";
import { gapsWithoutNotifications } from "../../src/testing/behaviour/gaps.ts";
import { extendWithCommon } from "../../src/testing/extend-with-common.ts";
import { extendWithNotifyNoop } from "../../src/testing/extend-with-notify.ts";
import { extendWithStateInProcess } from "../../src/testing/extend-with-state-in-process.ts";

const it = extendWithNotifyNoop(extendWithStateInProcess(extendWithCommon(vitestIt)));

behaviourTestSuite({ it, gaps: gapsWithoutNotifications });
