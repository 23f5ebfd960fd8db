// A context in which a span is active. Contexts of `trace.setSpan` copy the map of their parent; this one does not. Every
// attempt has one until its outcome is stored.
import { type Context, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";

/** The same as `trace.setSpan(parent, span)`. */
export class ActiveSpanContext implements Context {
  readonly #parent: Context;
  readonly #span: Span;

  constructor(parent: Context, span: Span) {
    this.#parent = parent;
    this.#span = span;
  }

  getValue(key: symbol): unknown {
    return key === spanKey ? this.#span : this.#parent.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return trace.setSpan(this.#parent, this.#span).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return trace.setSpan(this.#parent, this.#span).deleteValue(key);
  }
}

/** OpenTelemetry does not export the key of the span, so a look-up reveals it. */
const findSpanKey = (): symbol | null => {
  let asked: symbol | null = null;
  trace.getSpan({
    getValue: (key) => {
      asked = key;
      return undefined;
    },
    setValue: () => ROOT_CONTEXT,
    deleteValue: () => ROOT_CONTEXT,
  });
  return asked;
};

const spanKey = findSpanKey();
