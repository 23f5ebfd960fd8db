import { it as vitestIt } from "vitest";
import {
  extendWithCommon,
  extendWithNotifyInProcess,
  notifyAdapterTestSuite,
} from "../../src/testing.ts";

const it = extendWithNotifyInProcess(extendWithCommon(vitestIt));

notifyAdapterTestSuite({ it, hints: true, network: false });
