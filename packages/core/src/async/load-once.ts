/**
 * Loads a module with its first call. Each later call continues without the loader of modules, which may need real time even for a
 * known module. A load that failed is tried again.
 */
export const loadOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
};
