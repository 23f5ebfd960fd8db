import { testKitSuite } from "../../src/testing.ts";

testKitSuite({
  open: async () => ({
    stateAdapter: undefined,
    timeTravel: undefined,
    close: async () => undefined,
  }),
});
