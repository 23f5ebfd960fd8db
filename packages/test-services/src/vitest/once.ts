// Vitest runs a project's globalSetup in a module graph of its own, so values that several projects
// share are kept on globalThis. There is one server per run, started for the first project that
// needs it, and closed after the last.
import type { ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";

type Closable = { readonly close: () => Promise<void> };
type Entry = { readonly service: Promise<Closable>; userCount: number };

const registryKey = Symbol.for("queuert.test-services");
type Global = { [registryKey]?: Map<string, Entry> };

const registry = (): Map<string, Entry> => {
  const global = globalThis as Global;
  return (global[registryKey] ??= new Map());
};

export const onceServer =
  <TKey extends keyof ProvidedContext, TService extends Closable>(
    key: TKey,
    start: () => Promise<TService>,
    toProvided: (service: TService) => ProvidedContext[TKey],
  ) =>
  async (project: TestProject): Promise<() => Promise<void>> => {
    const entry = registry().get(key) ?? { service: start(), userCount: 0 };
    registry().set(key, entry);
    entry.userCount += 1;
    // The registry holds it under its own key, so this `start` made it.
    const service = (await entry.service) as TService;
    project.provide(key, toProvided(service));
    return async () => {
      entry.userCount -= 1;
      if (entry.userCount > 0) return;
      registry().delete(key);
      await service.close();
    };
  };
