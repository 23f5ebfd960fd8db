// A suite is a named list of cases, as values. An entry function registers them with Vitest. A
// mutation check runs the same cases against a store that is broken on purpose.
import { describe } from "vitest";

export interface SuiteCase<TContext> {
  /** The rule, in the words of the contract. Unique within its suite. */
  readonly title: string;
  readonly run: (context: TContext) => Promise<void>;
}

export interface Suite<TContext> {
  readonly name: string;
  readonly cases: readonly SuiteCase<TContext>[];
}

/** States one rule within `defineSuite`. */
export type SuiteRule<TContext> = (
  title: string,
  run: (context: TContext) => Promise<void>,
) => void;

/** Collects the rules of one suite. */
export const defineSuite = <TContext>(
  name: string,
  define: (rule: SuiteRule<TContext>) => void,
): Suite<TContext> => {
  const cases: SuiteCase<TContext>[] = [];
  define((title, run) => {
    if (cases.some((each) => each.title === title)) {
      throw new Error(`Suite ${name} states the same rule twice: ${title}`);
    }
    cases.push({ title, run });
  });
  return { name, cases };
};

/** A rule that a store does not keep, and why. It fails as soon as it is none any more. */
export interface SuiteGap {
  /** The title of a case, or `suite > title` where two suites state the same. */
  readonly rule: string;
  readonly reason: string;
}

/** The part of Vitest's `it` that a suite needs: any `it` extended with the fixtures will do. */
export interface SuiteIt<TFixtures> {
  (title: string, body: (fixtures: TFixtures) => Promise<void>, timeoutMs?: number): void;
  readonly fails: (
    title: string,
    options: { readonly retry: number; readonly timeout: number },
    body: (fixtures: TFixtures) => Promise<void>,
  ) => void;
}

export interface DescribeSuitesOptions<TFixtures, TContext> {
  readonly it: SuiteIt<TFixtures>;
  readonly suites: readonly Suite<TContext>[];
  readonly gaps?: readonly SuiteGap[] | undefined;
  /**
   * Turns a case into the body of a test. It must destructure its argument in place: Vitest reads the names of
   * the fixtures that a test wants from the text of its function.
   */
  readonly toBody: (test: SuiteCase<TContext>) => (fixtures: TFixtures) => Promise<void>;
}

// A case that waits for an event that never comes reports it itself, sooner.
const caseTimeoutMs = 60_000;

// Run again for having failed, as it should, a gap would be none as soon as one run of several passes.
const gapOptions = { retry: 0, timeout: caseTimeoutMs } as const;

/** Registers suites; a gap must fail, and must name a rule that exists. */
export const describeSuites = <TFixtures, TContext>(
  options: DescribeSuitesOptions<TFixtures, TContext>,
): void => {
  const { it, suites, gaps = [], toBody } = options;
  for (const suite of suites) {
    describe(suite.name, () => {
      for (const test of suite.cases) {
        const gap = gaps.find((each) => isGapOf(each, suite.name, test.title));
        if (gap === undefined) it(test.title, toBody(test), caseTimeoutMs);
        else it.fails(`${test.title} [gap: ${gap.reason}]`, gapOptions, toBody(test));
      }
    });
  }
  // Read here: the function given to `describe` may run later than this function.
  const unmatched = gaps.filter(
    (gap) =>
      !suites.some(({ name, cases }) => cases.some(({ title }) => isGapOf(gap, name, title))),
  );
  if (unmatched.length > 0) describeUnmatched(it, unmatched);
};

const isGapOf = (gap: SuiteGap, suiteName: string, title: string): boolean =>
  gap.rule === title || gap.rule === `${suiteName} > ${title}`;

const describeUnmatched = <TFixtures>(
  it: SuiteIt<TFixtures>,
  unmatched: readonly SuiteGap[],
): void => {
  describe("gaps", () => {
    for (const gap of unmatched) {
      it(`names a rule: ${gap.rule}`, () =>
        Promise.reject(new Error(`No case has the title "${gap.rule}": drop the gap or mend it.`)));
    }
  });
};
