// The lines that a job's attempts logged, and its progress, as operators see them: data is redacted as payloads are.
import type { StoredLogChunk, StoredProgress } from "../../adapters/operator-logs.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { InvalidCursorError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { LogLine } from "../../lifecycle/process-job/attempt-log.ts";
import type { AttemptLogLevel } from "../../public-types/attempt-log.ts";
import type { JobProgress } from "../../public-types/explanation.ts";
import { UnknownJobError } from "../operator-errors.ts";
import { redactedText } from "../redact/redact-errors.ts";
import type { Viewer } from "../search/search.ts";

/** One line of an attempt. */
export interface JobLogLine {
  readonly leaseVersion: number;
  /** The number that counts towards `maxAttempts`. */
  readonly attempt: number;
  /** Its number within the attempt, from 0. A gap: the lines between are not kept. */
  readonly number: number;
  /** By the clock of the worker. */
  readonly at: Date;
  readonly level: AttemptLogLevel;
  readonly message: string;
  /** JSON. Null: none. */
  readonly data: string | null;
}

/** The lines of a job's last attempts. */
export interface JobLog {
  /** By attempt, the oldest first, and then by line. */
  readonly lines: readonly JobLogLine[];
  /** The place after the last line: the `cursor` of a call that asks for later lines only. */
  readonly cursor: string | null;
}

/** No lines, if the store keeps none. */
export const readJobLog = async (
  state: AnyStateAdapter,
  id: string,
  cursor: string | null,
  viewer: Viewer,
): Promise<JobLog> => {
  const after = readCursor(cursor);
  const [job] = await state.getJobs({ ids: [id] });
  if (job === undefined) throw new UnknownJobError(id);
  const chunks = (await state.operator?.listLogs?.({ jobId: id, after })) ?? [];
  const last = chunks.at(-1);
  return {
    lines: chunks.flatMap((chunk) => toLines(chunk, job.typeName, viewer)),
    cursor: last === undefined ? cursor : `${last.leaseVersion}.${last.firstLine}`,
  };
};

const readCursor = (
  cursor: string | null,
): { readonly leaseVersion: number; readonly firstLine: number } | null => {
  if (cursor === null) return null;
  const [, leaseVersion, firstLine] = /^(\d{1,9})\.(\d{1,9})$/.exec(cursor) ?? [];
  if (leaseVersion === undefined || firstLine === undefined) throw new InvalidCursorError();
  return { leaseVersion: Number(leaseVersion), firstLine: Number(firstLine) };
};

const toLines = (
  { leaseVersion, attempt, firstLine, lines }: StoredLogChunk,
  typeName: string,
  { view, redaction, redactText }: Viewer,
): readonly JobLogLine[] =>
  parseLines(lines).map(({ at, level, message, data }, index) => ({
    ...{ leaseVersion, attempt, number: firstLine + index },
    ...{ at: new Date(at), level, message: redactedText(redactText, message) },
    data: data === undefined ? null : redaction.show(data, { typeName, field: "log" }, view),
  }));

/** Lines that a transform cannot turn back, such as without its key, are one line that says so. */
export const parseLines = (lines: string): readonly LogLine[] => {
  const unreadable = [{ at: 0, level: "warn", message: "‹lines that cannot be read›" }] as const;
  try {
    const parsed: unknown = JSON.parse(lines);
    // Written by `AttemptLog`.
    return Array.isArray(parsed) ? (parsed as readonly LogLine[]) : unreadable;
  } catch {
    return unreadable;
  }
};

/**
 * The progress of the job's newest attempt. Null: none. A store keeps that of an earlier attempt until another one reports: a job
 * that then completed without a report must not look half done.
 */
export const toJobProgress = (
  { leaseVersion }: Pick<StateJob, "leaseVersion">,
  stored: StoredProgress | undefined,
  { redactText }: Pick<Viewer, "redactText">,
): JobProgress | null => {
  if (stored === undefined || stored.leaseVersion !== leaseVersion) return null;
  const { fraction, note, at } = stored;
  return { fraction, note: note === null ? null : redactedText(redactText, note), at };
};
