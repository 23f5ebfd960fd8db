// Cheap counters: one number per set of attributes, which the SDK reads when it collects. An instrument of the SDK sorts and
// hashes the attributes at each addition, and a job adds about ten times.
import type { Attributes, Meter, Observable } from "@opentelemetry/api";

/** One time series. */
export interface Total {
  value: number;
}

/** The time series of one instrument. */
export class Totals {
  readonly #series: { readonly attributes: Attributes; readonly total: Total }[] = [];

  /** Adds a series. The caller keeps it, and calls once for each set of attributes. */
  series(attributes: Attributes): Total {
    const total: Total = { value: 0 };
    this.#series.push({ attributes, total });
    return total;
  }

  observe(observe: (value: number, attributes: Attributes) => void): void {
    for (const { attributes, total } of this.#series) observe(total.value, attributes);
  }
}

/** Makes the SDK read all of them at once when it collects. */
export const reportTotals = (
  meter: Meter,
  all: readonly { readonly instrument: Observable; readonly totals: Totals }[],
): void =>
  meter.addBatchObservableCallback(
    (result) => {
      for (const { instrument, totals } of all) {
        totals.observe((value, attributes) => result.observe(instrument, value, attributes));
      }
    },
    all.map(({ instrument }) => instrument),
  );

/** Finds or makes the series of a key: a look-up instead of the SDK's hash. */
export const perKey = <TKey, TSeries>(make: (key: TKey) => TSeries): ((key: TKey) => TSeries) => {
  const known = new Map<TKey, TSeries>();
  return (key) => {
    let series = known.get(key);
    if (series === undefined) known.set(key, (series = make(key)));
    return series;
  };
};
