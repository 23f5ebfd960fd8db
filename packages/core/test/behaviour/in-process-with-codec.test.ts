// Every behaviour holds with a payload codec, too.
import { it as vitestIt } from "vitest";
import { richJson } from "../../src/payloads/rich-json.ts";
import { behaviourTestSuite } from "../../src/testing/behaviour/describe-behaviour.ts";
import { gapsWithCodec } from "../../src/testing/behaviour/gaps.ts";
import { extendWithCommon } from "../../src/testing/extend-with-common.ts";
import { extendWithNotifyInProcess } from "../../src/testing/extend-with-notify.ts";
import { extendWithStateInProcess } from "../../src/testing/extend-with-state-in-process.ts";

const it = extendWithNotifyInProcess(extendWithStateInProcess(extendWithCommon(vitestIt)));

behaviourTestSuite({ it, codec: richJson(), gaps: gapsWithCodec });
