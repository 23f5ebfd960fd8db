import type { AddCommand, CommandContext, Report } from "../command.ts";
import type { StoreSchema } from "../connect/store.ts";
import { CliUsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseDuration } from "../output/durations.ts";

interface MigrateOptions {
  readonly plan?: boolean;
  readonly lockTimeout?: string;
}

export const addMigrate: AddCommand = (program, run) => {
  const migrate = program
    .command("migrate")
    .description("bring the schema to the version of the installed adapter")
    .option("--plan", "print the missing statements, write nothing")
    .option("--lock-timeout <duration>", "PostgreSQL: how long to wait for tables in use")
    .action((options: MigrateOptions) =>
      run((context) => (options.plan === true ? plan(context) : apply(context, options)), {
        isUnbounded: true,
      }),
    );
  migrate
    .command("status")
    .description("exit 8 if migrations are missing")
    .action(() => run(status));
};

const schemaOf = async (context: CommandContext, writes?: string): Promise<StoreSchema> => {
  const { store, config } = await context.access(writes === undefined ? {} : { writes });
  if (store.schema !== undefined) return store.schema;
  throw new CliUsageError(
    `The state adapter of ${config.origin} has no migrations of its own. Give \`url\` in the config, or ` +
      "migrate with the functions of the adapter.",
  );
};

const plan = async (context: CommandContext): Promise<Report> => {
  const { missing, sql } = await (await schemaOf(context)).plan();
  if (missing.length === 0) {
    return { json: { missing, sql }, lines: ["-- nothing is missing"] };
  }
  const statements = sql.map((statement) =>
    /;\s*$/.test(statement) ? statement : `${statement};`,
  );
  const lines = sql.length === 0 ? missing.map((name) => `create ${name}`) : statements;
  return { json: { missing, sql }, lines };
};

const apply = async (context: CommandContext, { lockTimeout }: MigrateOptions): Promise<Report> => {
  const lockTimeoutMs =
    lockTimeout === undefined ? undefined : parseDuration(lockTimeout, "--lock-timeout");
  const schema = await schemaOf(context, "migrate");
  const applied = await schema.migrate({ lockTimeoutMs });
  const lines =
    applied.length === 0 ? ["nothing to migrate"] : applied.map((name) => `applied ${name}`);
  return { json: { applied }, lines };
};

const status = async (context: CommandContext): Promise<Report> => {
  const { missing } = await (await schemaOf(context)).plan();
  return {
    json: { missing },
    lines:
      missing.length === 0
        ? ["up to date"]
        : [...missing.map((name) => `missing ${name}`), "run `queuert migrate`"],
    exitCode: missing.length === 0 ? exitCodes.done : exitCodes.schema,
  };
};
