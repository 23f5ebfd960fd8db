// "Did you mean …?" for a name that is not defined.

/** Single-character edits from one name to the other. */
const distance = (left: string, right: string): number => {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, character] of [...left].entries()) {
    const current = [row + 1];
    for (let column = 1; column <= right.length; column++) {
      const above = previous[column] ?? 0;
      const diagonal = previous[column - 1] ?? 0;
      const substituted = diagonal + (character === right[column - 1] ? 0 : 1);
      current.push(Math.min(above + 1, (current[column - 1] ?? 0) + 1, substituted));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
};

const limits = { names: 3, comparedLength: 100 };

/** The defined names closest to a wrong one, nearest first; empty if none is close. */
export const nearNames = (name: string, defined: Iterable<string>): string[] => {
  if (name.length > limits.comparedLength) return [];
  const tolerance = Math.max(1, Math.floor(name.length / 3));
  return [...defined]
    .filter((candidate) => Math.abs(candidate.length - name.length) <= tolerance)
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .filter(({ edits }) => edits <= tolerance)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, limits.names)
    .map(({ candidate }) => candidate);
};
