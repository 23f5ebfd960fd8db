// The optional run-time description of the job types. Types are gone when a program runs. With a
// catalogue, calls from plain JavaScript, from a web request or from an older deployment are checked
// as well.
import type { BlockerName, IsContinuationOnly, IsSignal, WrittenBlockers } from "./definition.ts";
import type { WrittenInput, WrittenOutput } from "./definition.ts";
import type { ContinuationJobTypes } from "./references.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";
import type { RuntimeUpcast, Upcast } from "./upcast.ts";

/** One entry for every job type. It must match the definition. */
export type JobTypeCatalogue<TDefinitions> = {
  readonly [TTypeName in keyof TDefinitions & string]: CatalogueEntry<TDefinitions, TTypeName>;
};

type CatalogueEntry<TDefinitions, TTypeName extends keyof TDefinitions & string> =
  IsSignal<TDefinitions[TTypeName]> extends true
    ? SignalEntry<WrittenOutput<TDefinitions[TTypeName]>>
    : JobEntry<TDefinitions, TTypeName>;

interface SignalEntry<TPayload> {
  readonly signal: true;
  /** Checks the payloads that are sent. */
  readonly output?: StandardSchemaV1<any, TPayload>;
}

type JobEntry<TDefinitions, TTypeName extends keyof TDefinitions & string> = {
  /** Whether a sequence can start with this type. */
  readonly entry: IsContinuationOnly<TDefinitions[TTypeName]> extends true ? false : true;
  readonly input?: StandardSchemaV1<any, WrittenInput<TDefinitions[TTypeName]>>;
  readonly output?: StandardSchemaV1<any, WrittenOutput<TDefinitions[TTypeName]>>;
  /** Names that the type had before. Jobs that were stored with them are jobs of this type. Default: none. */
  readonly formerNames?: readonly string[];
  /**
   * How an input of an earlier version becomes one of this version. With it `input` runs when a job is read, too. If it refuses
   * the stored value, the first upcast whose `from` accepts the value converts it. Default: stored inputs are not checked.
   */
  readonly upcast?: readonly Upcast<WrittenInput<TDefinitions[TTypeName]>>[];
  /** The same for outputs, such as those of blockers. Default: stored outputs are not checked. */
  readonly upcastOutput?: readonly Upcast<WrittenOutput<TDefinitions[TTypeName]>>[];
} & CatalogueContinuations<ContinuationJobTypes<TDefinitions, TTypeName>> &
  CatalogueBlockers<WrittenBlockers<TDefinitions[TTypeName]>>;

// Names as keys, not in a list: the compiler notices a name that is left out.
type CatalogueContinuations<TTargets extends string> = [TTargets] extends [never]
  ? { readonly continuesTo?: Readonly<Record<string, never>> }
  : { readonly continuesTo: { readonly [TTarget in TTargets]: true } };

type CatalogueBlockers<TBlockers extends readonly unknown[]> = TBlockers extends readonly []
  ? { readonly blockers?: readonly [] }
  : { readonly blockers: true | BlockerList<TBlockers> };

// `true` means: some blockers, not checked one by one. A list is possible only where it says the
// whole truth: a fixed number of places, each of one type.
type BlockerList<TBlockers extends readonly unknown[]> = number extends TBlockers["length"]
  ? true
  : { readonly [TIndex in keyof TBlockers]: OneName<BlockerName<TBlockers[TIndex]>> };

type OneName<TName, TAll = TName> = TName extends unknown
  ? [TAll] extends [TName]
    ? TName
    : never
  : never;

/** A catalogue as the registry holds it, without the types that it describes. */
export type RuntimeCatalogue = Readonly<Record<string, RuntimeCatalogueEntry>>;

export interface RuntimeCatalogueEntry {
  /** Left out for a signal. */
  readonly entry?: boolean;
  readonly signal?: true;
  readonly continuesTo?: Readonly<Record<string, true>>;
  readonly blockers?: true | readonly string[];
  readonly input?: StandardSchemaV1;
  readonly output?: StandardSchemaV1;
  readonly formerNames?: readonly string[];
  readonly upcast?: readonly RuntimeUpcast[];
  readonly upcastOutput?: readonly RuntimeUpcast[];
}
