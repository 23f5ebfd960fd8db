import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { it as vitestIt } from "vitest";
import { extendWithStateSqlite } from "../src/testing.ts";
import { createOwnProvider } from "./own-provider.ts";

const it = extendWithStateSqlite(extendWithCommon(vitestIt), async (filename) =>
  createOwnProvider(filename),
);

stateAdapterTestSuite({ it });
