// A wall clock that can be set wrong, as an operator or a broken time service does. Imported before anything that reads it.
let skewMs = 0;

const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    // The arguments of the real `Date`; no argument means now.
    const args = (given.length === 0 ? [SkewedDate.now()] : given) as [number];
    super(...args);
  }

  static override now(): number {
    return RealDate.now() + skewMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;

export const skewClock = (ms: number): void => {
  skewMs = ms;
};
