// Random operations on the store and on the in-process one, which must agree.
import { providedMongodb } from "@queuert/test-services/provided";
import { extendWithCommon, stateModelTestSuite } from "queuert/testing";
import { it } from "vitest";
import { extendWithStateMongodb } from "../src/testing.ts";

const extended = extendWithStateMongodb(extendWithCommon(it), () => ({
  url: providedMongodb().url,
}));

stateModelTestSuite({ it: extended });
