/** The kind of an error: its `code`, as Queuert's and Node's errors have it, or its class. Never its message. */
export const errorTypeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && code !== "" ? code : className(error);
};

/** A subclass without a name of its own has the name of a built-in class, such as `Error`. */
const className = ({ name, constructor }: Error): string =>
  builtInNames.has(name) && constructor.name !== "" ? constructor.name : name;

const builtInNames: ReadonlySet<string> = new Set(
  [
    Error,
    EvalError,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    URIError,
    AggregateError,
  ].map(({ name }) => name),
);

/** A bound on time series, since names may be made at run time. */
const kindsMax = 100;

/** `errorTypeOf` for metrics. Above the bound it returns `_OTHER`, as OpenTelemetry names the rest. */
export const createErrorTypes = (): ((error: unknown) => string) => {
  const known = new Set<string>();
  return (error) => {
    const type = errorTypeOf(error);
    if (known.has(type)) return type;
    if (known.size >= kindsMax) return "_OTHER";
    known.add(type);
    return type;
  };
};
