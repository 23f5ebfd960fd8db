import { InvalidOptionError } from "queuert/internal";

/** The tables, with their prefix. They are checked to be plain identifiers, because statements contain them. */
export interface TableNames {
  readonly prefix: string;
  readonly job: string;
  readonly blocker: string;
  /** One row: no job gets an ordinal up to it, even when the jobs that had them are gone. */
  readonly ordinal: string;
  /** One row: the identity of the store, which the names of its notification channels carry. */
  readonly store: string;
  /** The attempts that did not complete their job. */
  readonly attempt: string;
  /** The lines that attempts logged. */
  readonly log: string;
  /** How far jobs say that they are. */
  readonly progress: string;
  /** The actions of operators. */
  readonly action: string;
  /** The counts of attempts by minute and by hour. */
  readonly metric: string;
  /** The registry of workers, for operators. */
  readonly worker: string;
  readonly schedule: string;
  readonly scheduleTick: string;
  /** A row for each paused type. */
  readonly pause: string;
  /** A row for each limit of a job type. */
  readonly jobLimit: string;
  /** A row for each key of a limit that has bounds, a pause or a rate of its own. */
  readonly limitKey: string;
  /** A row for each key with jobs of a type that wait or run. */
  readonly limitTurn: string;
  readonly limitTurnLast: string;
  readonly migration: string;
}

export const tablePrefixDefault = "queuert_";
const prefixLengthMax = 60;

export const tableNames = (prefix: string): TableNames => {
  if (typeof prefix !== "string" || !/^([A-Za-z_]\w*)?$/.test(prefix)) {
    throw new InvalidOptionError(
      "tablePrefix",
      prefix,
      "give letters, digits and underscores, not beginning with a digit",
    );
  }
  if (prefix.length > prefixLengthMax || /^sqlite_/i.test(prefix)) {
    throw new InvalidOptionError(
      "tablePrefix",
      prefix,
      `give at most ${prefixLengthMax} characters, not beginning with sqlite_`,
    );
  }
  return {
    prefix,
    job: `${prefix}job`,
    blocker: `${prefix}job_blocker`,
    ordinal: `${prefix}ordinal`,
    store: `${prefix}store`,
    attempt: `${prefix}job_attempt`,
    log: `${prefix}job_log`,
    progress: `${prefix}job_progress`,
    action: `${prefix}action`,
    metric: `${prefix}metric`,
    worker: `${prefix}worker`,
    schedule: `${prefix}schedule`,
    scheduleTick: `${prefix}schedule_tick`,
    pause: `${prefix}pause`,
    jobLimit: `${prefix}job_limit`,
    limitKey: `${prefix}limit_key`,
    limitTurn: `${prefix}limit_turn`,
    limitTurnLast: `${prefix}limit_turn_last`,
    migration: `${prefix}migration`,
  };
};

// Two statements name their index. With statistics of a small table (ANALYZE, PRAGMA optimize), SQLite would read the whole
// table instead, once for every job.

/** The end of a SELECT of the last job of a sequence that has continued. */
export const lastJobOf = ({ prefix, job }: TableNames): string =>
  `FROM ${job} INDEXED BY ${prefix}job_continuation
WHERE sequence_id = ? AND position > 0 ORDER BY position DESC LIMIT 1`;

/** The jobs of trees, without the first job of each root. */
export const treeMembers = ({ prefix, job }: TableNames): string =>
  `${job} member INDEXED BY ${prefix}job_tree`;

/**
 * Ids are strings, and a numeric column would turn "007" into 7. By SQLite's rule of affinity, a type with INT in its name
 * is numeric, and a type with CHAR, CLOB or TEXT is text.
 */
export const assertIdType = (idType: string): void => {
  const keepsText = /char|clob|text/i.test(idType) && !/int/i.test(idType);
  if (!keepsText || !/^[A-Za-z][\w ]*(\(\d+\))?$/.test(idType)) {
    throw new InvalidOptionError("idType", idType, "give a text type, such as TEXT or VARCHAR(36)");
  }
};

/** Checks the ids of the user's generator. An id that SQLite stores in another form could not be found again. */
export const checkedIds = (generate: () => string): (() => string) => {
  if (typeof generate !== "function") {
    throw new InvalidOptionError("idGenerator", generate, "give a function that returns a string");
  }
  return () => {
    const id = generate();
    // An unpaired surrogate is not a character of Unicode.
    if (typeof id !== "string" || id === "" || /[\0\p{Surrogate}]/u.test(id)) {
      const remedy = "give strings that are not empty, without NUL and well-formed";
      throw new InvalidOptionError("idGenerator()", id, remedy);
    }
    return id;
  };
};
