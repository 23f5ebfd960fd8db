// Makes the results of two stores comparable. Ids become the number of their job. Times become
// their meaning in the contract. Lists without a promised order are sorted.

/** Fields that differ between two stores that are both right. */
const left = new Set(["ordinal", "jobCount", "unblockedBySequenceId", "traceContext"]);

/** Lists whose order the contract leaves open. */
const unordered = new Set(["unblocked", "dependants", "running", "edges", "counts", "oldestReady"]);

const farFromNowMs = 24 * 60 * 60_000;
const longAgo = Date.UTC(2_000, 0);

const toTime = (time: Date): string => {
  if (time.getTime() < longAgo) return time.toISOString();
  return time.getTime() > Date.now() + farFromNowMs ? "far" : "near";
};

/** Errors that the test itself gave; others are worded by the store. */
const isOurs = (error: string): boolean => error.startsWith("error: ");

const toField = (key: string, value: unknown, ids: ReadonlyMap<string, number>): unknown => {
  if (key === "ageMs") return "any";
  if (key === "nextDueInMs" && typeof value === "number") return value > 0 ? "later" : value;
  if (typeof value === "string" && (key === "error" || key === "lastAttemptError")) {
    return isOurs(value) ? value : "worded by the store";
  }
  const normal = normalise(value, ids);
  return unordered.has(key) && Array.isArray(normal) ? sorted(normal) : normal;
};

/** Sorts lists without a promised order. */
export const sorted = (items: readonly unknown[]): unknown[] =>
  items
    .map((item) => ({ item, text: JSON.stringify(item) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ item }) => item);

/** The comparable form of any answer. */
export const normalise = (value: unknown, ids: ReadonlyMap<string, number>): unknown => {
  if (value instanceof Date) return toTime(value);
  if (typeof value === "string") {
    const index = ids.get(value);
    return index === undefined ? value : `#${index}`;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => normalise(item, ids));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !left.has(key))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, field]) => [key, toField(key, field, ids)]),
    );
  }
  return value;
};
