/** Spread into a call that only reads: the context of a transaction, or nothing. */
export type OptionalContext<TTxContext> =
  TTxContext | { readonly [TKey in keyof TTxContext]?: undefined };
