// Which store: the command line first, then the environment, then the nearest config.
import { dirname, resolve } from "node:path";
import { CliConfigError, CliUsageError } from "../errors.ts";
import type { Config, StoreConfig } from "./define-config.ts";
import { findConfig } from "./find-config.ts";
import { loadConfig } from "./load-config.ts";

export interface StoreOptions {
  readonly config?: string | undefined;
  readonly url?: string | undefined;
  readonly schema?: string | undefined;
  readonly prefix?: string | undefined;
  readonly profile?: string | undefined;
}

export interface ResolvedConfig extends Omit<Config, "profiles"> {
  /** The folder that relative files and packages are looked up from. */
  readonly folder: string;
  /** The origin, for messages. Never the address itself: it may hold a password. */
  readonly origin: string;
}

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const noStore =
  "There is no store to work on. Give --url or --config, set QUEUERT_DATABASE_URL, or run `queuert init` to write a config.";

/** Throws if there is no store, or two. */
export const resolveConfig = async (
  options: StoreOptions,
  { cwd, env }: Place,
): Promise<ResolvedConfig> => {
  const { url, schema, prefix, profile } = options;
  if (url !== undefined && options.config !== undefined) {
    throw new CliUsageError("Give --url or --config, not both.");
  }
  if (url !== undefined && profile !== undefined) {
    throw new CliUsageError("--profile names a part of a config: give --config in place of --url.");
  }
  const given = url ?? (await addressWithoutConfig(options, { cwd, env }));
  if (given !== undefined) {
    const origin = url === undefined ? "QUEUERT_DATABASE_URL" : "--url";
    return { url: given, schema, prefix, folder: cwd, origin };
  }
  const file = configFile(options, { cwd, env });
  if (file === undefined) throw new CliUsageError(noStore);
  const config = withProfile(await loadConfig(file), profile, file);
  assertOneStore(config, file);
  const overrides = {
    ...(schema !== undefined && { schema }),
    ...(prefix !== undefined && { prefix }),
  };
  return { ...config, ...overrides, folder: dirname(file), origin: file };
};

const configFile = ({ config }: StoreOptions, { cwd, env }: Place): string | undefined => {
  const named = config ?? env["QUEUERT_CONFIG"];
  return named === undefined || named === "" ? findConfig(cwd) : resolve(cwd, named);
};

/** An address of the environment counts only where no config does. */
const addressWithoutConfig = async (
  options: StoreOptions,
  place: Place,
): Promise<string | undefined> => {
  const address = place.env["QUEUERT_DATABASE_URL"];
  if (address === undefined || address === "") return undefined;
  if (configFile(options, place) !== undefined) return undefined;
  if (options.profile === undefined) return address;
  throw new CliUsageError("--profile names a part of a config, and there is no config here.");
};

const withProfile = (config: Config, profile: string | undefined, file: string): StoreConfig => {
  const { profiles = {}, ...base } = config;
  if (profile === undefined) return base;
  const chosen = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  if (chosen === undefined) {
    const names = Object.keys(profiles).join(", ");
    throw new CliUsageError(
      `${file} has no profile "${profile}". ${names === "" ? "It has none." : `Profiles: ${names}.`}`,
    );
  }
  // A profile with a store of its own replaces the store, and not only one of its fields.
  const hasStore = chosen.url !== undefined || chosen.stateAdapter !== undefined;
  const { url: _url, stateAdapter: _stateAdapter, ...others } = base;
  return { environment: profile, ...(hasStore ? others : base), ...chosen };
};

const assertOneStore = ({ url, stateAdapter }: StoreConfig, file: string): void => {
  if (url === undefined && stateAdapter === undefined) {
    throw new CliConfigError(
      `${file} names no store: give \`url\` or \`stateAdapter\`. A variable of the environment may be missing.`,
    );
  }
  if (url !== undefined && stateAdapter !== undefined) {
    throw new CliConfigError(`${file} has both \`url\` and \`stateAdapter\`: give one.`);
  }
};
