/** What kind of error it is: the `code` of ours and of Node's, else its class. Never its message. */
export const errorTypeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && code !== "" ? code : className(error);
};

/** A subclass that does not name itself has the name of one that JavaScript knows, such as `Error`. */
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

/** More kinds than this are one: a name made up at run time must not make a time series each. */
const kindsMax = 100;

/** `errorTypeOf` for metrics, with a bound; `_OTHER` is OpenTelemetry's word for the rest. */
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
