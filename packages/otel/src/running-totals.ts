// Counters that cost next to nothing to count: a number per set of attributes, which the SDK reads when it collects.
// Adding to an instrument of the SDK has it sort and hash the attributes each time, and a job adds about ten times.
import type { Attributes, Meter, Observable } from "@opentelemetry/api";

/** One time series. */
export interface Total {
  value: number;
}

/** The time series of one instrument. */
export class Totals {
  readonly #series: { readonly attributes: Attributes; readonly total: Total }[] = [];

  /** Adds a series: who asks keeps it, and asks once for each set of attributes. */
  series(attributes: Attributes): Total {
    const total: Total = { value: 0 };
    this.#series.push({ attributes, total });
    return total;
  }

  observe(observe: (value: number, attributes: Attributes) => void): void {
    for (const { attributes, total } of this.#series) observe(total.value, attributes);
  }
}

/** Has the SDK read all of them in one go, whenever it collects. */
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

/** Finds the series of a key, or has it made: a look-up where the SDK would hash. */
export const perKey = <TKey, TSeries>(make: (key: TKey) => TSeries): ((key: TKey) => TSeries) => {
  const known = new Map<TKey, TSeries>();
  return (key) => {
    let series = known.get(key);
    if (series === undefined) known.set(key, (series = make(key)));
    return series;
  };
};
