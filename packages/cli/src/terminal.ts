// The streams of the process, and the facts about them that the output depends on.
import { styleText } from "node:util";

export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
}

export interface Terminal {
  /** Whether the output goes to a terminal, not to a pipe or a file. */
  readonly isTty: boolean;
  /** Whether a question can be asked, and answered. */
  readonly isInteractive: boolean;
  readonly width: number;
  readonly height: number;
  readonly isUtc: boolean;
  colour(colour: "red" | "yellow" | "green" | "dim" | "bold", text: string): string;
  /** Resolves when the text has left the process. */
  write(text: string): Promise<void>;
  writeError(text: string): Promise<void>;
}

export interface TerminalOptions {
  readonly colour: boolean;
  readonly utc: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const widthDefault = 80;

export const createTerminal = (streams: Streams, options: TerminalOptions): Terminal => {
  const { stdout, stderr, stdin } = streams;
  const { env } = options;
  const isTty = stdout.isTTY === true;
  const hasColour =
    isTty && options.colour && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  // As `ls` and `git` do. Tests and scripts choose a width by it.
  const columns = Number(env["COLUMNS"]);
  return {
    isTty,
    isInteractive: isTty && stdin.isTTY === true,
    width: columns > 0 ? columns : (stdout.columns ?? widthDefault),
    height: stdout.rows ?? 24,
    isUtc: options.utc,
    colour: (colour, text) =>
      hasColour ? styleText(colour, text, { validateStream: false }) : text,
    write: (text) => writeTo(stdout, text),
    writeError: (text) => writeTo(stderr, text),
  };
};

/** A reader that has gone, such as `head`, is not an error: nothing is left to say to it. */
const writeTo = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  text === ""
    ? Promise.resolve()
    : new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error === null || error === undefined || isClosedPipe(error)) resolve();
          else reject(error);
        });
      });

export const isClosedPipe = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === "EPIPE";
