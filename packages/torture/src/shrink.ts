// Finds the fewest faults that still fail: leaves out halves as long as the rest fails. Real
// processes are not repeatable to the microsecond, so a run that passes says less than one that
// fails. A simulation's seed says both.

/** `fails` runs with these faults only. */
export const shrink = async <TFault>(
  faults: readonly TFault[],
  fails: (faults: readonly TFault[]) => Promise<boolean>,
  runsMax: number,
): Promise<readonly TFault[]> => {
  let smallest = faults;
  let runs = 0;
  let parts = 2;
  while (smallest.length > 0 && runs < runsMax) {
    const size = Math.ceil(smallest.length / parts);
    let isSmaller = false;
    for (let from = 0; from < smallest.length && runs < runsMax; from += size) {
      const rest = [...smallest.slice(0, from), ...smallest.slice(from + size)];
      runs++;
      if (!(await fails(rest))) continue;
      smallest = rest;
      isSmaller = true;
      break;
    }
    if (isSmaller) parts = Math.max(2, parts - 1);
    else if (size === 1) break;
    else parts *= 2;
  }
  return smallest;
};
