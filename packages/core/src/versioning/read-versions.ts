// The adapters as a client of this version sees them: records of earlier versions have the names and the payloads of today.
// A client without `formerNames` and `upcast` has the adapters as they are.
import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { RuntimeCatalogue } from "../job-types/catalogue.ts";
import { assertUpcasts } from "../job-types/upcast.ts";
import { assertObject } from "../model/assert-option.ts";
import type { PayloadCodec } from "../model/payload.ts";
import { type FormerNames, toFormerNames } from "./former-names.ts";
import { listenByAllNames, withFormerNames } from "./with-former-names.ts";
import { withUpcasts } from "./with-upcasts.ts";

export interface Versions {
  /** Null: no job type was renamed. */
  readonly formerNames: FormerNames | null;
  /** The job types whose stored payloads are checked; null: none. */
  readonly upcasts: RuntimeCatalogue | null;
}

/** Reads the catalogue, and refuses what has no meaning. */
export const toVersions = (catalogue: RuntimeCatalogue | undefined): Versions => {
  const entries = Object.entries(catalogue ?? {});
  for (const [typeName, entry] of entries) {
    assertObject(entry, `jobTypeDefinitions.${typeName}`);
    assertUpcasts(typeName, entry);
  }
  const versioned = entries.filter(
    ([, { upcast, upcastOutput }]) => upcast !== undefined || upcastOutput !== undefined,
  );
  return {
    formerNames: toFormerNames(catalogue),
    upcasts: versioned.length === 0 ? null : Object.fromEntries(versioned),
  };
};

export const readVersions = (
  adapter: AnyStateAdapter,
  { formerNames, upcasts }: Versions,
  codec: PayloadCodec | null,
): AnyStateAdapter => {
  const renamed = formerNames === null ? adapter : withFormerNames(adapter, formerNames);
  return upcasts === null ? renamed : withUpcasts(renamed, upcasts, codec);
};

export const hearVersions = (adapter: NotifyAdapter, { formerNames }: Versions): NotifyAdapter =>
  formerNames === null ? adapter : listenByAllNames(adapter, formerNames);
