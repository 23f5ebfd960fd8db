/**
 * Where a start is committed: with the transaction of a context, or, with `autocommit: true` and no
 * context, by itself. Not a union: the compiler must name the context when it is missing.
 */
export type StartContext<TTxContext, TAutocommit> = [TAutocommit] extends [true]
  ? { readonly [TKey in keyof TTxContext]?: undefined }
  : TTxContext;

/** Commits the start by itself. */
export interface AutocommitOption<TAutocommit> {
  /**
   * `true`: the start commits by itself, and takes no context. Default: it is part of the
   * transaction whose context is given.
   */
  readonly autocommit?: TAutocommit;
}

/** Spread into a call that only reads: the context of a transaction, or nothing. */
export type OptionalContext<TTxContext> =
  TTxContext | { readonly [TKey in keyof TTxContext]?: undefined };
