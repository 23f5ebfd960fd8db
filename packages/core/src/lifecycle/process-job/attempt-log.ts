// The lines of one attempt, bounded: the first ones and the last ones. They wait here until the log writer takes them.
import type { LogChunk, LogGap, ProgressEntry } from "../../adapters/operator-logs.ts";
import { describeError } from "../../model/describe-error.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { AttemptLogLevel } from "../../public-types/attempt-log.ts";

/** Bounds of one attempt. The first lines stay; of the others, the last ones stay. */
export const logBounds = {
  firstLines: 100,
  firstCharacters: 16_000,
  lastLines: 400,
  lastCharacters: 48_000,
  messageCharacters: 4_000,
  dataCharacters: 2_000,
  noteCharacters: 200,
} as const;

/** One line, as it is stored in the JSON text of a chunk. */
export interface LogLine {
  /** By the clock of the worker, in milliseconds since 1970. */
  readonly at: number;
  readonly level: AttemptLogLevel;
  readonly message: string;
  /** JSON. Left out: none. */
  readonly data?: string;
}

interface StoredTail {
  readonly firstLine: number;
  readonly lines: number;
  readonly characters: number;
}

/** The part of a call that one attempt has. */
export interface AttemptLogPart {
  readonly chunks: readonly LogChunk[];
  readonly gap: LogGap | null;
  readonly progress: ProgressEntry | null;
}

export class AttemptLog {
  readonly jobId: string;
  readonly leaseVersion: number;
  readonly #attempt: number;
  /** Something was given to the writer: it may be stored. */
  wasTaken = false;
  /** Its attempt has ended: more lines are ignored. */
  isOver = false;
  #nextNumber = 0;
  /** The first lines are full: all others are last lines. */
  #isHeadFull = false;
  #headCharacters = 0;
  readonly #head = new WaitingLines();
  readonly #last = new WaitingLines();
  /** The chunks of last lines that the writer was given, and that stay. */
  #tail: StoredTail[] = [];
  #progress: ProgressEntry | null = null;

  constructor({ id, leaseVersion, attempt }: StateJob) {
    this.jobId = id;
    this.leaseVersion = leaseVersion;
    this.#attempt = attempt;
  }

  /** Characters that wait in memory. */
  get waitingCharacters(): number {
    return this.#head.characters + this.#last.characters;
  }

  add(line: LogLine): void {
    const text = JSON.stringify(line);
    const number = this.#nextNumber++;
    if (!this.#isHeadFull) {
      this.#headCharacters += text.length;
      this.#isHeadFull =
        number >= logBounds.firstLines || this.#headCharacters > logBounds.firstCharacters;
    }
    if (!this.#isHeadFull) return this.#head.add(number, text);
    this.#last.add(number, text);
    while (isTooMuch(this.#last)) this.#last.dropFirst();
  }

  setProgress(fraction: number | null, note: string | null): void {
    this.#progress = { jobId: this.jobId, leaseVersion: this.leaseVersion, fraction, note };
  }

  /** Takes all that waits, for a call. */
  take(): AttemptLogPart {
    this.wasTaken = true;
    const { jobId, leaseVersion } = this;
    const parts = [this.#head, this.#last].filter(({ texts }) => texts.length > 0);
    const chunks = parts.map(({ firstLine, texts }) => ({
      ...{ jobId, leaseVersion, attempt: this.#attempt, firstLine },
      lines: `[${texts.join(",")}]`,
    }));
    const gap = this.#noteTail();
    this.dropWaiting();
    const progress = this.#progress;
    this.#progress = null;
    return { chunks, gap, progress };
  }

  /** The memory of the process is short: only stored lines remain. The numbers of the lines show the gap. */
  dropWaiting(): void {
    this.#head.clear();
    this.#last.clear();
  }

  /** The waiting last lines become a chunk. The oldest ones are dropped until all are within the bounds. */
  #noteTail(): LogGap | null {
    const { firstLine, texts, characters } = this.#last;
    if (texts.length === 0) return null;
    const tail = [...this.#tail, { firstLine, lines: texts.length, characters }];
    const from = tail[0]?.firstLine ?? firstLine;
    while (isTooMuch(sumOf(tail))) tail.shift();
    this.#tail = tail;
    const before = tail[0]?.firstLine ?? firstLine;
    const { jobId, leaseVersion } = this;
    return before === from ? null : { jobId, leaseVersion, from, before };
  }
}

/** Lines one after the other. */
class WaitingLines {
  firstLine = 0;
  texts: string[] = [];
  characters = 0;

  get lines(): number {
    return this.texts.length;
  }

  add(number: number, text: string): void {
    if (this.texts.length === 0) this.firstLine = number;
    this.texts.push(text);
    this.characters += text.length;
  }

  dropFirst(): void {
    this.characters -= this.texts.shift()?.length ?? 0;
    this.firstLine++;
  }

  clear(): void {
    this.texts = [];
    this.characters = 0;
  }
}

const isTooMuch = ({ lines, characters }: Omit<StoredTail, "firstLine">): boolean =>
  lines > logBounds.lastLines || characters > logBounds.lastCharacters;

const sumOf = (chunks: readonly StoredTail[]): Omit<StoredTail, "firstLine"> => {
  let lines = 0;
  let characters = 0;
  for (const chunk of chunks) {
    lines += chunk.lines;
    characters += chunk.characters;
  }
  return { lines, characters };
};

/** A line of the user's. Never throws. */
export const toLogLine = (
  at: number,
  level: AttemptLogLevel,
  message: unknown,
  data: unknown,
): LogLine => {
  const text = toText(message).slice(0, logBounds.messageCharacters);
  return data === undefined
    ? { at, level, message: text }
    : { at, level, message: text, data: toDataText(data) };
};

const toText = (message: unknown): string =>
  typeof message === "string"
    ? message
    : message instanceof Error
      ? describeError(message)
      : toDataText(message);

/** Data as JSON, or a text that says why it is left out. */
const toDataText = (data: unknown): string => {
  try {
    const value = data instanceof Error ? { error: describeError(data) } : data;
    const json = JSON.stringify(value) ?? JSON.stringify(`‹${typeof data}›`);
    if (json.length <= logBounds.dataCharacters) return json;
    return JSON.stringify(`‹${json.length} characters of data are left out›`);
  } catch {
    // A circle, a bigint, or a getter of the user's that throws.
    return JSON.stringify("‹data that is not JSON›");
  }
};

/** Progress of the user's. Never throws. */
export const toProgress = (
  fraction: unknown,
  note: unknown,
): { readonly fraction: number | null; readonly note: string | null } => ({
  fraction:
    typeof fraction === "number" && !Number.isNaN(fraction)
      ? Math.min(1, Math.max(0, fraction))
      : null,
  // Stores take neither NUL nor an unpaired surrogate.
  note:
    note === undefined || note === null
      ? null
      : toText(note)
          .slice(0, logBounds.noteCharacters)
          .replaceAll(/[\0\p{Surrogate}]/gu, "�"),
});
