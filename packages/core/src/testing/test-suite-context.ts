import type { CommonTestContext } from "./extend-with-common.ts";
import type { NotifyTestContext } from "./extend-with-notify.ts";
import type { StateTestContext } from "./extend-with-state.ts";

/** What a test has whose `it` went through all three kinds of `extendWith…`: for suites of one's own. */
export type TestSuiteContext = CommonTestContext & StateTestContext & NotifyTestContext;
