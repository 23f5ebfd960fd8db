// Errors of the command line itself. Each knows the exit code of the process.
import { QueuertError } from "queuert";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

/** A command that was called in a way that has no meaning. */
export class CliUsageError extends QueuertError {
  readonly code = "QUEUERT_CLI_USAGE" as const;
  readonly exitCode: ExitCode = exitCodes.usage;
}

/** The config cannot be read, or one of its fields has no meaning. */
export class CliConfigError extends QueuertError {
  readonly code = "QUEUERT_CLI_CONFIG" as const;
  readonly exitCode: ExitCode = exitCodes.usage;
}

/** A package of the project is needed, and not installed. */
export class CliPackageMissingError extends QueuertError {
  readonly code = "QUEUERT_CLI_PACKAGE_MISSING" as const;
  readonly exitCode: ExitCode = exitCodes.usage;
  readonly packages: readonly string[];

  constructor(packages: readonly string[], options?: ErrorOptions) {
    super(
      `${packages.join(" or ")} is not installed in this project. Run: npm install ${packages[0] ?? ""}`,
      options,
    );
    this.packages = packages;
  }
}

/** No job has this id. */
export class CliNotFoundError extends QueuertError {
  readonly code = "QUEUERT_CLI_NOT_FOUND" as const;
  readonly exitCode: ExitCode = exitCodes.notFound;
}

/** The profile allows no writes. */
export class CliReadOnlyError extends QueuertError {
  readonly code = "QUEUERT_CLI_READ_ONLY" as const;
  readonly exitCode: ExitCode = exitCodes.refused;

  constructor(command: string, options?: ErrorOptions) {
    super(
      `\`${command}\` writes, and the config or its profile says \`readOnly\`. Choose another profile with --profile.`,
      options,
    );
  }
}

/** The store cannot be reached at the address that the command line has opened. */
export class CliUnreachableError extends QueuertError {
  readonly code = "QUEUERT_CLI_UNREACHABLE" as const;
  readonly exitCode: ExitCode = exitCodes.unreachable;
}

/** The command took longer than `--timeout`. */
export class CliTimeoutError extends QueuertError {
  readonly code = "QUEUERT_CLI_TIMEOUT" as const;
  readonly exitCode: ExitCode = exitCodes.unreachable;

  constructor(timeoutMs: number, isWrite: boolean, options?: ErrorOptions) {
    super(
      `The store did not answer within ${timeoutMs} ms. ` +
        (isWrite ? "The write may have been stored: check before you repeat it. " : "") +
        "Raise --timeout, or look at the store with `queuert doctor`.",
      options,
    );
  }
}
