// The state adapter suites with the other supported major version of the driver.
import { providedMongodb } from "@queuert/test-services/provided";
import type { MongoClient } from "mongodb";
import { MongoClient as MongoClient6 } from "mongodb-6";
import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStateMongodb } from "../src/testing.ts";

describe("state adapter, driver 6", () => {
  const extended = extendWithStateMongodb(extendWithCommon(it), () => ({
    url: providedMongodb().url,
    // Private fields make its classes different to the compiler. The methods that are called are the same.
    createClient: (url) => new MongoClient6(url) as unknown as MongoClient,
  }));
  stateAdapterTestSuite({ it: extended });
});
