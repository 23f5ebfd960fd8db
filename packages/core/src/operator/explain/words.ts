// The words in which sentences name times and jobs.
import { escapeControls } from "../../model/describe-error.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobRef } from "../../public-types/explanation.ts";

/** Ids that are made one after another begin alike: the end tells them apart. */
export const shortId = (id: string): string =>
  id.length <= 14 ? id : `${id.slice(0, 6)}…${id.slice(-4)}`;

export const nameOf = ({ typeName, jobId }: Pick<JobRef, "typeName" | "jobId">): string =>
  escapeControls(`${typeName} ${shortId(jobId)}`);

export const toRef = ({ id, sequenceId, typeName, status }: StateJob): JobRef => ({
  jobId: id,
  sequenceId,
  typeName,
  status,
});

const lineLengthMax = 300;

/** The first line of a stored error. */
export const firstLine = (error: string | null): string => {
  const [line = ""] = (error ?? "").split(/\r\n|\r|\n/, 1);
  return escapeControls(line.slice(0, lineLengthMax));
};

/** "1 job", "2 jobs". */
export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** An id or a name as a shell reads it. */
export const shellWord = (text: string): string =>
  /^[\w.:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
