import { it as vitestIt } from "vitest";
import { behaviourTestSuite } from "../../src/testing/behaviour/describe-behaviour.ts";
import { extendWithCommon } from "../../src/testing/extend-with-common.ts";
import { extendWithNotifyInProcess } from "../../src/testing/extend-with-notify.ts";
import { extendWithStateInProcess } from "../../src/testing/extend-with-state-in-process.ts";

const it = extendWithNotifyInProcess(extendWithStateInProcess(extendWithCommon(vitestIt)));

behaviourTestSuite({ it });
