// The names of job types in the result of an adapter. Jobs, references and counts have their name in one of two fields,
// wherever they are in the result. A new method of the contract is therefore covered by itself.

const nameFields: ReadonlySet<string> = new Set(["typeName", "sequenceTypeName"]);

/** The same result, with each name replaced. Parts without a change are the same objects. */
export const renameRecords = <T>(result: T, rename: (typeName: string) => string): T =>
  renamed(result, rename) as T;

const renamed = (value: unknown, rename: (typeName: string) => string): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let changed: unknown[] | null = null;
    for (const [index, element] of value.entries()) {
      const after = renamed(element, rename);
      if (after !== element) (changed ??= [...(value as unknown[])])[index] = after;
    }
    return changed ?? value;
  }
  // Dates and other instances have no names.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  let changed: Record<string, unknown> | null = null;
  for (const [field, before] of Object.entries(value)) {
    const after = renamedField(field, before, rename);
    if (after !== before) (changed ??= { ...value })[field] = after;
  }
  return changed ?? value;
};

const renamedField = (
  field: string,
  value: unknown,
  rename: (typeName: string) => string,
): unknown => {
  if (typeof value !== "string") return renamed(value, rename);
  if (nameFields.has(field)) return rename(value);
  return field === "definition" ? renamedDefinition(value, rename) : value;
};

/** A schedule is kept as text. Its next write stores the name of today. */
const renamedDefinition = (text: string, rename: (typeName: string) => string): string => {
  const definition: unknown = JSON.parse(text);
  const after = renamed(definition, rename);
  return after === definition ? text : JSON.stringify(after);
};
