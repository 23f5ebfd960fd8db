import type { IsSignal, WrittenOutput } from "../job-types/definition.ts";
import type { AutocommitOption, StartContext } from "./context.ts";
import type { StartedJobSequence } from "./start.ts";

/** A name that is no signal becomes a sentence. */
type SignalTypeName<TDefinitions, TTypeName extends keyof TDefinitions & string> =
  IsSignal<TDefinitions[TTypeName]> extends true
    ? TTypeName
    : `Error: job type '${TTypeName}' is not a signal: define it with DefineSignal`;

/** One element of `sendSignals`. */
export interface SignalOptions<TDefinitions, TTypeName extends keyof TDefinitions & string> {
  /** A type that is defined with `DefineSignal`. */
  readonly typeName: SignalTypeName<TDefinitions, TTypeName>;
  /** As given to `expectSignal`. At most 512 characters. */
  readonly key: string;
  /** The output of the signal, which the jobs that wait for it are given. */
  readonly payload: WrittenOutput<TDefinitions[TTypeName]>;
}

/** The result of `sendSignals` for one signal. */
export type SentSignal<TJobId extends string = string> =
  | { readonly id: TJobId; readonly sent: true }
  | {
      readonly id: TJobId;
      readonly sent: false;
      /** A signal of this key was sent before. Its payload stays. */
      readonly reason: "already_sent";
    };

/** The methods of the client for signals. */
export interface SignalMethods<TDefinitions, TTxContext, TJobId extends string> {
  /**
   * Sends signals, in the transaction of the given context or with `autocommit: true`. The first send of a key
   * wins. A signal that is not expected yet is stored, and found by a later `expectSignal`.
   */
  sendSignals<
    const TTypeNames extends readonly (keyof TDefinitions & string)[],
    TAutocommit extends boolean | undefined = false,
  >(
    options: StartContext<TTxContext, TAutocommit> &
      AutocommitOption<TAutocommit> & {
        readonly signals: readonly [
          ...{ [TIndex in keyof TTypeNames]: SignalOptions<TDefinitions, TTypeNames[TIndex]> },
        ];
      },
  ): Promise<readonly SentSignal<TJobId>[]>;

  /**
   * The signal of a key, as a sequence to wait for: return it from `startBlockers`. It is found if it was sent or
   * expected before, else it is created.
   */
  expectSignal<
    TTypeName extends keyof TDefinitions & string,
    TAutocommit extends boolean | undefined = false,
  >(
    options: StartContext<TTxContext, TAutocommit> &
      AutocommitOption<TAutocommit> & {
        /** A type that is defined with `DefineSignal`. */
        readonly typeName: SignalTypeName<TDefinitions, TTypeName>;
        /** At most 512 characters. The keys of each type are its own. */
        readonly key: string;
      },
  ): Promise<StartedJobSequence<TJobId, TDefinitions, NoInfer<TTypeName>>>;
}
