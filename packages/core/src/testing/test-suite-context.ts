import type { CommonTestContext } from "./extend-with-common.ts";
import type { NotifyTestContext } from "./extend-with-notify.ts";
import type { StateTestContext } from "./extend-with-state.ts";

/**
 * The fixtures of a test whose `it` went through all three kinds of `extendWith…`: for suites of
 * your own.
 */
export type TestSuiteContext = CommonTestContext & StateTestContext & NotifyTestContext;
