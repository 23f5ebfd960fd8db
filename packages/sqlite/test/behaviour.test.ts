import {
  behaviourTestSuite,
  extendWithCommon,
  extendWithNotifyInProcess,
  extendWithNotifyNoop,
  gapsWithoutNotifications,
} from "queuert/testing";
import { describe, it as vitestIt } from "vitest";
import { extendWithStateSqlite } from "../src/testing.ts";
import { drivers } from "./drivers.ts";

describe.each(drivers)("%s", (_name, open) => {
  describe("with notifications in the process", () => {
    const it = extendWithStateSqlite(extendWithCommon(vitestIt), open);
    behaviourTestSuite({ it: extendWithNotifyInProcess(it) });
  });

  describe("without notifications", () => {
    const it = extendWithStateSqlite(extendWithCommon(vitestIt), open);
    behaviourTestSuite({ it: extendWithNotifyNoop(it), gaps: gapsWithoutNotifications });
  });
});
