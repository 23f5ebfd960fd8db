// Errors of ORMs around the error of the server or of the connection.

/** The server's error, where an ORM keeps its parts in fields of its own. */
export interface HiddenServerError {
  readonly code: string;
  readonly message: string | undefined;
}

interface Wrapped {
  readonly code?: unknown;
  /** Of `Bun.SQL`, whose `code` is the same for all errors of the server. */
  readonly errno?: unknown;
  readonly message: string;
  /** Of Prisma with a driver adapter. */
  readonly meta?: {
    readonly driverAdapterError?: {
      readonly cause?: { readonly originalCode?: unknown; readonly originalMessage?: unknown };
    };
  };
  /** Of Sequelize. */
  readonly original?: unknown;
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

export const hiddenServerError = (error: Error): HiddenServerError | undefined => {
  const { code, errno, message, meta } = error as Wrapped;
  const ofPrisma = meta?.driverAdapterError?.cause;
  const prismaCode = text(ofPrisma?.originalCode);
  if (prismaCode !== undefined) {
    return { code: prismaCode, message: text(ofPrisma?.originalMessage) };
  }
  const bunCode = code === "ERR_POSTGRES_SERVER_ERROR" ? text(errno) : undefined;
  return bunCode === undefined ? undefined : { code: bunCode, message };
};

/** The error inside of another one; undefined for the innermost. */
export const innerErrorOf = (error: Error): Error | undefined => {
  // Node tries every address of a host and gathers the failures.
  const inner: unknown =
    error instanceof AggregateError
      ? error.errors[0]
      : (error.cause ?? (error as Wrapped).original);
  return inner instanceof Error ? inner : undefined;
};
