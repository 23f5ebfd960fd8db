// Facts of the file that endanger jobs, or slow them down.
import { statSync, statfsSync } from "node:fs";
import type { OperatorStore, StoreFinding } from "queuert/internal";
import type { Database } from "../database.ts";
import type { Session } from "../session.ts";

/** A log that a checkpoint cannot empty: some reader has kept its snapshot open. */
const walBytesMax = 256 * 1_024 * 1_024;

/** The types of file systems over a network, as Linux numbers them: NFS, SMB, SMB 2, CIFS. */
const networkTypes: ReadonlySet<number> = new Set([0x69_69, 0x51_7b, 0xfe_53_4d_42, 0xff_53_4d_42]);

export const checkHealth =
  <TTxContext extends object, TContext extends object>(
    database: Database<TTxContext, TContext>,
  ): NonNullable<OperatorStore["checkHealth"]> =>
  ({ isThorough }) =>
    database.read(undefined, (session) => [
      ...(isThorough ? damage(session) : []),
      ...fileFindings(fileOf(session)),
      ...orphans(session, database.names, isThorough),
    ]);

/** Reads the whole file. */
const damage = (session: Session): readonly StoreFinding[] => {
  const problem = session.get<[string]>("PRAGMA quick_check(1)")?.[0];
  if (problem === undefined || problem === "ok") return [];
  const text = `the file is damaged: ${problem}; restore a backup, or recover it with the command .recover of sqlite3`;
  return [{ level: "fail", text }];
};

/** Empty for a database in memory. */
const fileOf = (session: Session): string =>
  session
    .all<[number, string, string]>("PRAGMA database_list")
    .find(([, name]) => name === "main")?.[2] ?? "";

const fileFindings = (file: string): readonly StoreFinding[] => {
  if (file === "") return [];
  const found: StoreFinding[] = [];
  const walBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (walBytes > walBytesMax) {
    const megabytes = Math.round(walBytes / 1_048_576);
    const text = `the log beside the file has ${megabytes} MB: a reader that stays open keeps it from being emptied`;
    found.push({ level: "warn", text });
  }
  if (isOnNetwork(file)) {
    const text =
      "the file is on a network: its locks do not hold there, so move it to a local disk";
    found.push({ level: "fail", text });
  }
  return found;
};

const isOnNetwork = (file: string): boolean => {
  try {
    return process.platform === "linux" && networkTypes.has(statfsSync(file).type);
  } catch {
    // A file that was moved away is reported by the statements themselves.
    return false;
  }
};

/** Waits for sequences that do not exist: foreign keys may be off in the connection of another program. */
const orphans = (
  session: Session,
  { job, blocker }: { readonly job: string; readonly blocker: string },
  isThorough: boolean,
): readonly StoreFinding[] => {
  if (!isThorough) return [];
  const [count = 0] =
    session.get<[number]>(`
SELECT count(*) FROM (
  SELECT 1 FROM ${job} waiting
  JOIN ${blocker} edge ON edge.job_id = waiting.id
  WHERE waiting.status = 'blocked'
    AND NOT EXISTS (SELECT 1 FROM ${job} first WHERE first.id = edge.blocker_sequence_id)
  LIMIT 10000)`) ?? [];
  if (count === 0) return [];
  const text = `${count} waits of blocked jobs are for a sequence that does not exist: delete these jobs, and start them again`;
  return [{ level: "fail", text }];
};
