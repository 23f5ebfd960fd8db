// One number for each way in which a command can end. Scripts rely on them: README.md has the table.

export const exitCodes = {
  done: 0,
  unexpected: 1,
  /** Wrong usage, a bad filter, a bad config. */
  usage: 2,
  notFound: 3,
  /** Refused, wholly or in part. */
  refused: 4,
  /** Planned. Nothing was written. */
  needsConfirmation: 5,
  checksFailed: 6,
  /** The store cannot be reached, or a statement was stopped. */
  unreachable: 7,
  schema: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

// Errors are known by their codes, not by their classes. The project's copy of a package may be another one than ours.
const byCode: readonly (readonly [pattern: RegExp, exitCode: ExitCode])[] = [
  [/^QUEUERT_(JOB_NOT_FOUND|SCHEDULE_NOT_FOUND|UNKNOWN_JOB)$/, exitCodes.notFound],
  [/_(SCHEMA_\w+|NOT_MIGRATED|MIGRATION_CHANGED|INDEX_DRIFT|COLLECTION_TAKEN)$/, exitCodes.schema],
  [/_(UNREACHABLE|CANNOT_OPEN|NO_ANSWER|POOL_EXHAUSTED|BUSY|LOCKED)$/, exitCodes.unreachable],
  [/_(QUERY_TIMEOUT|TRANSACTION_STALLED)$/, exitCodes.unreachable],
  [
    /_(STILL_BLOCKING|NOT_A_ROOT_SEQUENCE|JOB_ALREADY_COMPLETED|READ_ONLY|READ_ONLY_OPERATOR|PLAN_REFUSED)$/,
    exitCodes.refused,
  ],
  [/_(PERMISSION_DENIED|ROW_SECURITY|NOT_WRITABLE|DAMAGED)$/, exitCodes.refused],
  [/_INVALID_\w+$/, exitCodes.usage],
  [
    /_(LIMIT_EXCEEDED|NOT_JSON|UNKNOWN_JOB_TYPE|NOT_AN_ENTRY_JOB_TYPE|TOO_MANY_TICKS)$/,
    exitCodes.usage,
  ],
  [/_DASHBOARD_(OPEN|PORT)$/, exitCodes.usage],
  [/_(DRIVER_MISSING|PRAGMA|IN_MEMORY|NOT_A_DATABASE)$/, exitCodes.usage],
];

/** The exit code for an error, by its own code. */
export const exitCodeOf = (error: unknown): ExitCode => {
  const { exitCode, code } = Object(error) as { exitCode?: unknown; code?: unknown };
  if (isExitCode(exitCode)) return exitCode;
  if (typeof code !== "string") return exitCodes.unexpected;
  const found = byCode.find(([pattern]) => pattern.test(code));
  return found?.[1] ?? exitCodes.unexpected;
};

const known: ReadonlySet<unknown> = new Set(Object.values(exitCodes));
const isExitCode = (value: unknown): value is ExitCode => known.has(value);
