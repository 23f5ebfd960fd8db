// How Queuert behaves on MongoDB, notifications included.
import { providedMongodb } from "@queuert/test-services/provided";
import { behaviourTestSuite, extendWithCommon } from "queuert/testing";
import { it } from "vitest";
import { extendWithNotifyMongodb, extendWithStateMongodb } from "../src/testing.ts";

const options = (): { readonly url: string } => ({ url: providedMongodb().url });

behaviourTestSuite({
  it: extendWithNotifyMongodb(extendWithStateMongodb(extendWithCommon(it), options), options),
});
