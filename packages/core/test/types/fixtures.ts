// One small application that uses every feature of the definitions once.
import type {
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
  DefineSignal,
} from "../../src/job-types/markers.ts";
import type { StateAdapter } from "../../src/adapters/state-adapter.ts";
import type { Queuert } from "../../src/queuert-types.ts";

export interface Client {
  query(sql: string): Promise<unknown[]>;
}

export type JobId = `job-${string}`;

export interface TestStateAdapter extends StateAdapter<
  { client: Client },
  { client: Client },
  JobId
> {}

// A type alias, not an interface with an index signature, as users write it.
export type Definitions = {
  /** Ends at once; its payloads hold a date. */
  send: { input: { to: string; at: Date; note?: string }; output: { sentAt: Date } };
  /** Ends, or continues to one of two types. */
  order: {
    input: { orderId: number };
    output:
      { skipped: true } | DefineContinuationOutput<"charge"> | DefineContinuationOutput<"ship">;
  };
  charge: {
    input: DefineContinuationInput<{ cents: number }>;
    output: DefineContinuationOutput<"ship" | "refuse">;
  };
  ship: { input: DefineContinuationInput<{ address: string }>; output: { parcel: string } };
  refuse: { input: DefineContinuationInput<null>; output: { refused: string } };
  /** Enters half way. */
  reship: { input: { parcel: string }; output: DefineContinuationOutput<"ship"> };
  report: {
    input: { month: string };
    output: { rows: number };
    blockers: [DefineBlocker<"send">, DefineBlocker<"order" | "reship">];
  };
  digest: {
    input: { day: string };
    output: DefineContinuationOutput<"publish">;
    blockers: DefineBlocker<"send">[];
  };
  publish: {
    input: DefineContinuationInput<{ title: string }>;
    output: null;
    blockers: [DefineBlocker<"send">, ...DefineBlocker<"order">[]];
  };
  /** Waits for a signal. */
  refund: { input: { orderId: number }; output: null; blockers: [DefineBlocker<"approval">] };
  approval: DefineSignal<{ by: string }>;
  /** Waits for a signal until its wait ends. */
  reminder: {
    input: null;
    output: null;
    blockers: [DefineBlocker<"approval", "optional">];
  };
  /** Also reads blockers that have failed. */
  audit: {
    input: null;
    output: null;
    blockers: [DefineBlocker<"send", "ended">, ...DefineBlocker<"order", "ended">[]];
  };
  /** Goes round. */
  poll: { input: { url: string }; output: { found: boolean } | DefineContinuationOutput<"poll"> };
};

export declare const queuert: Queuert<Definitions, TestStateAdapter>;
export declare const client: Client;
export declare const id: JobId;

// oxlint-disable-next-line typescript/no-explicit-any -- users may write it, so it has to be tested
export type Any = any;
