import type { SuiteGap } from "../suite.ts";

const reason = "notifications reach no other process: its workers find due jobs by polling";

/** The rules that do not hold with a notify adapter that sends nothing. */
export const gapsWithoutNotifications: readonly SuiteGap[] = [
  "an idle worker hears of new work at once",
  "a busy worker hears of work it had no room for",
].map((rule) => ({ rule, reason }));
