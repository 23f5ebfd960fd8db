/**
 * Wraps every method of an adapter, by key, so that what it rejects with is reported before it goes on to the caller. The
 * adapter may be an instance of a class, and a method that throws instead of rejecting rejects from here on.
 * `except` names the methods that run the caller's own code: their errors are the caller's.
 */
export const reportFailures = <TAdapter extends object>(
  adapter: TAdapter,
  except: ReadonlySet<string>,
  report: (operation: string, error: unknown) => void,
): TAdapter => {
  const wrapped: Record<string, unknown> = {};
  for (const name of memberNames(adapter)) {
    const member = (adapter as Readonly<Record<string, unknown>>)[name];
    if (typeof member !== "function") wrapped[name] = member;
    else if (except.has(name)) wrapped[name] = member.bind(adapter);
    else wrapped[name] = reporting(adapter, name, member as Method, report);
  }
  // Same keys, same signatures.
  return wrapped as TAdapter;
};

type Method = (...args: unknown[]) => Promise<unknown>;

const reporting =
  (
    adapter: object,
    name: string,
    method: Method,
    report: (operation: string, error: unknown) => void,
  ): Method =>
  (...args) => {
    const fail = (error: unknown): never => {
      report(name, error);
      throw error;
    };
    try {
      return method.apply(adapter, args).catch(fail);
    } catch (error) {
      return Promise.reject(error as Error).catch(fail);
    }
  };

/** Its own keys and those of its classes. */
const memberNames = (adapter: object): ReadonlySet<string> => {
  const names = new Set<string>();
  let layer: unknown = adapter;
  while (typeof layer === "object" && layer !== null && layer !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(layer)) names.add(name);
    layer = Object.getPrototypeOf(layer);
  }
  names.delete("constructor");
  return names;
};
