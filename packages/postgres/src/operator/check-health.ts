// Facts of the server that slow a queue down, or stop it.
import { duration, type OperatorStore, type StoreFinding } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toText } from "../job-row.ts";
import type { PgRow } from "../state-provider.ts";

export const checkHealth = (db: PgDatabase): NonNullable<OperatorStore["checkHealth"]> => {
  const check = db.routine("check_health", {
    long_ms: "float8",
    schema: "text",
    is_thorough: "boolean",
  });
  return async ({ longTransactionMs, isThorough, timeoutMs }) => {
    const args = {
      long_ms: String(longTransactionMs),
      schema: db.names.schemaName,
      is_thorough: String(isThorough),
    };
    return (await check(args, undefined, timeoutMs)).flatMap(toFinding);
  };
};

const toFinding = (row: PgRow): readonly StoreFinding[] => {
  const finding = findings[toText(row["kind"])];
  if (finding === undefined) return [];
  const facts = {
    name: String(row["name"] ?? ""),
    detail: String(row["detail"] ?? ""),
    age: duration(Number(row["age_ms"] ?? 0)),
    count: Number(row["count"] ?? 0).toLocaleString("en-US"),
  };
  return [{ level: finding.level, text: finding.text(facts) }];
};

interface Facts {
  readonly name: string;
  readonly detail: string;
  readonly age: string;
  readonly count: string;
}

const findings: Readonly<
  Record<string, { readonly level: StoreFinding["level"]; readonly text: (facts: Facts) => string }>
> = {
  transaction: {
    level: "warn",
    text: ({ name, detail, age }) =>
      `a transaction of "${name}" (${detail}) has been open for ${age}: dead rows are kept, and acquisitions slow down`,
  },
  prepared: {
    level: "warn",
    text: ({ name, age }) =>
      `the prepared transaction "${name}" is neither committed nor rolled back for ${age}: it keeps dead rows`,
  },
  slot: {
    level: "warn",
    text: ({ name }) =>
      `the replication slot "${name}" has no reader: it keeps dead rows and files`,
  },
  index: {
    level: "fail",
    text: ({ name }) => `the index ${name} is invalid: drop it, and build it again`,
  },
  vacuum: {
    level: "fail",
    text: ({ name }) => `${name} is off: dead rows are kept for ever; switch it on`,
  },
  dead: {
    level: "warn",
    text: ({ name, count }) =>
      `the table ${name} has ${count} dead rows: look for long transactions, and run VACUUM on it`,
  },
  hidden: {
    level: "note",
    text: ({ count }) =>
      `${count} sessions of other users are hidden from this one: grant it pg_read_all_stats to see long transactions`,
  },
  no_blocker: {
    level: "fail",
    text: ({ count }) =>
      `${count} waits of blocked jobs are for a sequence that does not exist: delete these jobs, and start them again`,
  },
  no_job: {
    level: "fail",
    text: ({ count }) =>
      `${count} rows of "ready" have no job to run: acquisitions step over them, so delete them`,
  },
};
