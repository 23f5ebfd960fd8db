import type { SuiteGap } from "../suite.ts";
import { keysRefusedSuite } from "./keys-refused.suite.ts";
import { limitsOfKeysSuite } from "./limits-of-keys.suite.ts";

const reason = "notifications reach no other process: its workers find due jobs by polling";

/** The rules of plain JSON, which a codec replaces. */
export const gapsWithCodec: readonly SuiteGap[] = [
  "a value that JSON cannot carry is refused, with its path",
  "dates, undefined and every kind of JSON are read back as documented",
].map((rule) => ({ rule, reason: "the codec carries more values than JSON" }));

/** The rules that do not hold with a notify adapter that sends nothing. */
export const gapsWithoutNotifications: readonly SuiteGap[] = [
  "an idle worker hears of new work at once",
  "a busy worker hears of work it had no room for",
  "ends are sent to other processes only while one of them waits",
  "a schedule that another process stores is seen at once",
  "jobs that have not begun go back at once",
].map((rule) => ({ rule, reason }));

/** The rules that need limits by key, for a store that has none. */
export const gapsWithoutLimitKeys = (why: string): readonly SuiteGap[] =>
  [limitsOfKeysSuite, keysRefusedSuite].flatMap(({ name, cases }) =>
    cases.map(({ title }) => ({ rule: `${name} > ${title}`, reason: why })),
  );
