import type { SuiteGap } from "../suite.ts";

const reason = "nobody is told anything: workers find what there is by polling";

/** What is not kept with a notify adapter that tells nobody anything. */
export const gapsWithoutNotifications: readonly SuiteGap[] = [
  "a forgotten withNotify costs milliseconds, not a poll interval",
  "an idle worker hears of new work at once",
  "a busy worker hears of work it had no room for",
  "continuations, released dependants and retries are announced",
].map((rule) => ({ rule, reason }));
