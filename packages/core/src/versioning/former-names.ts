// The names that a job type had before. Records keep the name that they were written with. A process of the
// version before therefore finds its own jobs.
import { InvalidOptionError } from "../errors.ts";
import type { RuntimeCatalogue } from "../job-types/catalogue.ts";
import { assertName } from "../model/assert-option.ts";

/** The job types that have been renamed. */
export interface FormerNames {
  /** The name that the job type has now. Another name stays as it is. */
  readonly currentOf: (typeName: string) => string;
  /** The former names in the order of the catalogue, then the name itself: the oldest jobs come first. */
  readonly allOf: (typeName: string) => readonly string[];
}

/** Null if no job type has a former name: then nothing is wrapped. */
export const toFormerNames = (catalogue: RuntimeCatalogue | undefined): FormerNames | null => {
  const current = new Map<string, string>();
  const all = new Map<string, readonly string[]>();
  for (const [typeName, { formerNames }] of Object.entries(catalogue ?? {})) {
    if (formerNames === undefined) continue;
    const option = `jobTypeDefinitions.${typeName}.formerNames`;
    if (!Array.isArray(formerNames)) {
      throw new InvalidOptionError(option, formerNames, "give an array of names");
    }
    for (const formerName of formerNames as readonly string[]) {
      assertName(formerName, option);
      assertFree(option, formerName, catalogue ?? {}, current.get(formerName));
      current.set(formerName, typeName);
    }
    if (formerNames.length > 0) all.set(typeName, [...(formerNames as string[]), typeName]);
  }
  if (current.size === 0) return null;
  return {
    currentOf: (typeName) => current.get(typeName) ?? typeName,
    allOf: (typeName) => all.get(typeName) ?? [typeName],
  };
};

const assertFree = (
  option: string,
  formerName: string,
  catalogue: RuntimeCatalogue,
  owner: string | undefined,
): void => {
  if (Object.hasOwn(catalogue, formerName)) {
    const remedy = "a job type of this name is defined: remove one of the two";
    throw new InvalidOptionError(option, formerName, remedy);
  }
  if (owner === undefined) return;
  throw new InvalidOptionError(option, formerName, `"${owner}" has this former name already`);
};
