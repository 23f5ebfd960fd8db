import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertFunction, assertObject } from "../model/assert-option.ts";
import type { RuntimeCatalogueEntry } from "./catalogue.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";

type MaybePromise<T> = T | Promise<T>;

/** One step from a payload of an earlier version to one of this version. `defineUpcast` infers the earlier type. */
export interface Upcast<TPayload, TOld = any> {
  /** Accepts the payloads of the earlier version, and no others. */
  readonly from: StandardSchemaV1<any, TOld>;
  /** Makes the payload of this version. It must not depend on anything but its argument: it runs at every read. */
  readonly to: (old: TOld) => MaybePromise<TPayload>;
}

/** An upcast as the catalogue holds it, without its types. */
export type RuntimeUpcast = Upcast<unknown>;

/**
 * Defines one upcast, with the earlier type inferred from its schema.
 *
 * @example
 * ```ts
 * const upcast = defineUpcast({
 *   from: z.object({ to: z.string() }),
 *   to: (old) => ({ ...old, locale: "en" }),
 * });
 * ```
 */
export const defineUpcast = <TPayload, TOld>(
  upcast: Upcast<TPayload, TOld>,
): Upcast<TPayload, TOld> => upcast;

/** That each upcast has its two parts, and that there is a schema to decide by. */
export const assertUpcasts = (typeName: string, entry: RuntimeCatalogueEntry): void => {
  for (const [name, part] of [
    ["upcast", "input"],
    ["upcastOutput", "output"],
  ] as const) {
    const upcasts: unknown = entry[name];
    if (upcasts === undefined) continue;
    const option = `jobTypeDefinitions.${typeName}.${name}`;
    if (!Array.isArray(upcasts)) {
      throw new InvalidOptionError(option, upcasts, "give an array of `{ from, to }`");
    }
    if (entry[part] === undefined) {
      throw new InvalidOptionError(option, upcasts, `give the schema \`${part}\` as well`);
    }
    for (const upcast of upcasts as readonly unknown[]) assertUpcast(option, upcast);
  }
};

const assertUpcast = (option: string, upcast: unknown): void => {
  assertObject(upcast, option);
  const { from, to } = upcast as Partial<RuntimeUpcast>;
  assertKnownOptions(upcast as object, ["from", "to"], `${option}.`);
  if (typeof from?.["~standard"]?.validate !== "function") {
    throw new InvalidOptionError(`${option}.from`, from, "give a Standard Schema");
  }
  assertFunction(to, `${option}.to`);
};
