// The whole state contract, and its races, on a real replica set.
import { providedMongodb } from "@queuert/test-services/provided";
import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStateMongodb } from "../src/testing.ts";

describe("state adapter, driver 7", () => {
  const extended = extendWithStateMongodb(extendWithCommon(it), () => ({
    url: providedMongodb().url,
  }));
  stateAdapterTestSuite({ it: extended });
});
