import { tenants } from "../load/errand-types.ts";
import type { Bounds } from "./control-history.ts";
import type { Check, Violation } from "./history.ts";
import { acquisitionsOf, type KnownSetting, knownSettings } from "./known-settings.ts";

const boundsOf = ({ value }: KnownSetting): Bounds =>
  "bounds" in value ? value.bounds : { concurrency: null, rate: null };

/**
 * At no moment more jobs of a type hold an unexpired lease than its limit allows. Jobs that were acquired under an earlier limit
 * count, and go on: the newest of a crowd must have found room.
 */
export const checkConcurrency: Check = (history) => {
  const settings = knownSettings(history, "bounds");
  return history.control.crowds.flatMap(({ typeName, key, at, acquiredAt }): Violation[] => {
    if (key !== null) return [];
    for (const [index, time] of acquiredAt.entries()) {
      const setting = settings.find(
        (one) => one.typeName === typeName && one.from < time && time < one.until,
      );
      const most = setting === undefined ? null : boundsOf(setting).concurrency;
      if (most === null || index < most) continue;
      const detail = `${typeName} at ${at}: ${index + 1} of at most ${most}`;
      return [{ rule: "never more than the limit at once", detail }];
    }
    return [];
  });
};

/** In any `perMs` at most `count + burst - 1` attempts start, by the store's clock. Stored times are whole milliseconds. */
export const checkRate: Check = (history) => {
  const acquisitions = acquisitionsOf(history);
  return knownSettings(history, "bounds").flatMap((setting): Violation[] => {
    const { rate } = boundsOf(setting);
    if (rate === null) return [];
    const most = rate.count + rate.burst - 1;
    const times = acquisitions
      .filter(({ typeName, at }) => typeName === setting.typeName && at > setting.from)
      .filter(({ at }) => at < setting.until)
      .map(({ at }) => at);
    const first = times.findIndex(
      (at, index) => (times[index + most] ?? Infinity) - at < rate.perMs - 1,
    );
    if (first < 0) return [];
    const detail = `${setting.typeName}: more than ${most} in ${rate.perMs} ms from ${times[first]}`;
    return [{ rule: "never more starts than the rate allows", detail }];
  });
};

/** After everything has ended, every permit is free. */
export const checkPermits: Check = ({ control }) =>
  control.permitsLeft.flatMap(({ typeName, key, running }) =>
    running === 0
      ? []
      : [
          {
            rule: "a permit ends with its attempt",
            detail: `${typeName} ${key ?? ""}: ${running} left`,
          },
        ],
  );

/** While a type is paused, or every type is, no job of it is acquired. */
export const checkPauses: Check = (history) => {
  const pauses = knownSettings(history, "pause").flatMap((one) => {
    if (!("pause" in one.value) || !one.value.pause.isPaused) return [];
    const { forMs } = one.value.pause;
    const endsAt = forMs === null ? Number.POSITIVE_INFINITY : one.calledAt + forMs;
    return [{ ...one, until: Math.min(one.until, endsAt - history.toleranceMs) }];
  });
  return acquisitionsOf(history).flatMap(({ typeName, key, at, what }): Violation[] => {
    const pause = pauses.find(
      (one) =>
        (one.key === undefined
          ? one.typeName === typeName || one.typeName === "*"
          : one.typeName === tenants && one.key === key) &&
        one.from < at &&
        at < one.until,
    );
    if (pause === undefined) return [];
    const detail = `${what} of ${typeName}, ${Math.round(at - pause.from)} ms after the pause`;
    return [{ rule: "no job of a paused type begins", detail }];
  });
};
