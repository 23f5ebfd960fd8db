export type ServiceOptions = {
  /** A server of its own, to stop, kill and pause; never the one from the environment. */
  readonly exclusive?: boolean;
  /**
   * `fast` gives up the settings that only a power failure needs (fsync); `default` is for
   * benchmarks.
   */
  readonly durability?: "fast" | "default";
};

export const fromEnvironment = (name: string, { exclusive }: ServiceOptions): string | undefined =>
  exclusive === true ? undefined : process.env[name] || undefined;

/** For names of databases, channels and subjects that no other test uses. */
export const uniqueName = (): string =>
  `queuert_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 10)}`;
