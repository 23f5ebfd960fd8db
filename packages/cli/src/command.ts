// The shape of a command: it reads its options, works on the store, and returns a report. Printing, exit codes and closing
// are done in one place, `run-command.ts`.
import type { Command } from "commander";
import type { ConfiguredStateAdapter } from "./config/define-config.ts";
import type { ResolvedConfig } from "./config/resolve-config.ts";
import type { Operator, PayloadView } from "queuert/operator";
import type { Client } from "./connect/client.ts";
import type { OpenStore } from "./connect/store.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** The result of a command, for people and for programs. */
export interface Report {
  /** The document of `--json`. */
  readonly json: unknown;
  /** The documents of `--jsonl`, one a line. Default: that of `json`. */
  readonly rows?: readonly unknown[];
  /** The lines without it. */
  readonly lines: readonly string[];
  /** Lines beside the result, such as how far a search looked. They go to the standard error. */
  readonly notes?: readonly string[];
  /** The command has written its output already. */
  readonly isPrinted?: boolean;
  /** Default: 0. */
  readonly exitCode?: ExitCode;
}

export interface GlobalOptions {
  readonly config?: string;
  readonly url?: string;
  readonly schema?: string;
  readonly prefix?: string;
  readonly profile?: string;
  readonly envFile?: string;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly timeout: string;
  readonly color: boolean;
  readonly quiet?: boolean;
  readonly utc?: boolean;
}

/** The store that a command works on, opened when it is first asked for. */
export interface StoreAccess {
  readonly config: ResolvedConfig;
  readonly store: OpenStore;
  state(): Promise<ConfiguredStateAdapter>;
  client(): Promise<Client>;
  operator(options?: {
    readonly payloads?: PayloadView;
    /** How many jobs one search looks at. */
    readonly examineStep?: number;
  }): Promise<Operator>;
}

/** All that a command needs from the process. */
export interface CommandContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly globals: GlobalOptions;
  readonly timeoutMs: number;
  /** Aborts at SIGINT and SIGTERM, and when the reader of the output has gone. */
  readonly signal: AbortSignal;
  /** Opens the store once. `writes` refuses a read-only profile. */
  access(use?: { readonly writes?: string }): Promise<StoreAccess>;
}

export interface RunOptions {
  /** The command may run for longer than `--timeout`, as a migration or a watch. */
  readonly isUnbounded?: boolean;
}

/** Adds one command to the program. */
export type AddCommand = (
  program: Command,
  run: (
    action: (context: CommandContext) => Promise<Report>,
    options?: RunOptions,
  ) => Promise<void>,
) => void;
