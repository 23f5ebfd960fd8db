/** A method of an adapter, as its wrappers call it. */
export type AdapterMethod = (...args: unknown[]) => Promise<unknown>;

/**
 * A copy of an object with each method replaced by `wrap`. The object may be an instance of a class. The one place that
 * wraps by key: the reports of errors, the retries and the named errors of a store go through it.
 */
export const mapMethods = <TObject extends object>(
  object: TObject,
  wrap: (method: AdapterMethod, name: string) => AdapterMethod,
): TObject => {
  const mapped: Record<string, unknown> = {};
  for (const name of memberNames(object)) {
    const member = (object as Readonly<Record<string, unknown>>)[name];
    mapped[name] = typeof member === "function" ? wrap(member.bind(object), name) : member;
  }
  // Same keys, same signatures.
  return mapped as TObject;
};

/** The keys of an object, and those of its classes. */
const memberNames = (object: object): ReadonlySet<string> => {
  const names = new Set<string>();
  let layer: unknown = object;
  while (typeof layer === "object" && layer !== null && layer !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(layer)) names.add(name);
    layer = Object.getPrototypeOf(layer);
  }
  names.delete("constructor");
  return names;
};

/** The methods that run the caller's own code, or only query the provider: their errors are the caller's alone. */
export const infrastructureMethods: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);
