// The bounds of a key of a limit, at the times when they are known. A bound that the key has not is that of the limit.
import type { Bounds } from "./control-history.ts";
import { type History, entriesOf } from "./history.ts";
import { type KnownSetting, knownSettings } from "./known-settings.ts";

/** A time in which the bounds of a key are known. */
export interface KnownBounds {
  readonly key: string;
  readonly bounds: Bounds;
  readonly from: number;
  readonly until: number;
}

type Known = Pick<KnownSetting, "from" | "until"> & { readonly bounds: Bounds };

const none: Bounds = { concurrency: null, rate: null };

/** Until the first call there were no bounds. */
const sinceBeginning = (known: readonly Known[], firstCallAt: number): readonly Known[] => [
  { bounds: none, from: Number.NEGATIVE_INFINITY, until: firstCallAt },
  ...known,
];

const toKnown = ({ value, from, until }: KnownSetting): Known => ({
  ...{ from, until },
  bounds: "perKey" in value ? value.perKey : "ofKey" in value ? value.ofKey : none,
});

/** The known bounds of these keys of a limit. */
export const knownKeyBounds = (
  history: History,
  limitName: string,
  keys: Iterable<string>,
): readonly KnownBounds[] => {
  const calls = entriesOf(history, "setting").filter(({ typeName }) => typeName === limitName);
  const knownOf = (part: "perKey" | "ofKey"): readonly KnownSetting[] =>
    knownSettings(history, part).filter(({ typeName }) => typeName === limitName);
  const firstOf = (part: "perKey" | "ofKey", key?: string): number =>
    calls.find((one) => part in one.value && one.key === key)?.at ?? Number.POSITIVE_INFINITY;
  const [each, own] = [knownOf("perKey"), knownOf("ofKey")];
  const ofEach = sinceBeginning(each.map(toKnown), firstOf("perKey"));
  return [...keys].flatMap((key) => {
    const settings = own.filter((one) => one.key === key).map(toKnown);
    const ofKey = sinceBeginning(settings, firstOf("ofKey", key));
    return ofEach.flatMap((one) => ofKey.flatMap((other) => both(key, one, other)));
  });
};

const both = (key: string, each: Known, own: Known): readonly KnownBounds[] => {
  const [from, until] = [Math.max(each.from, own.from), Math.min(each.until, own.until)];
  if (from >= until) return [];
  const concurrency = own.bounds.concurrency ?? each.bounds.concurrency;
  return [{ key, from, until, bounds: { concurrency, rate: own.bounds.rate ?? each.bounds.rate } }];
};
