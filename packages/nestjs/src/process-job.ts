// The decorators. A decorated method is remembered by its class, and found in the providers of the application when it starts.
import { Inject } from "@nestjs/common";
import type {
  GetStateAdapterJobId,
  GetStateAdapterTxContext,
  ImplementJobTypeOptions,
  JobTypeDefinitionsOf,
  ProcessContext,
  ProcessFunction,
} from "queuert";
import { QUEUERT } from "./tokens.ts";

/** The argument of a process function: `ProcessContextOf<typeof jobTypes, "send-mail", typeof stateAdapter>`. */
export type ProcessContextOf<
  TJobTypes,
  TTypeName extends keyof JobTypeDefinitionsOf<TJobTypes> & string,
  TStateAdapter,
> = ProcessContext<
  GetStateAdapterJobId<TStateAdapter>,
  JobTypeDefinitionsOf<TJobTypes>,
  GetStateAdapterTxContext<TStateAdapter>,
  TTypeName
>;

type AnyImplementOptions = ImplementJobTypeOptions<string, unknown, unknown, never, never>;

/** The options of a job type, as those of `implementJobType`. */
export interface ProcessJobOptions extends Omit<AnyImplementOptions, "typeName" | "process"> {}

/** A decorated method. */
export interface JobMethod {
  readonly key: string | symbol;
  readonly typeName: string;
  readonly options: ProcessJobOptions;
}

const methods = new WeakMap<object, JobMethod[]>();

/** The decorated methods of an instance, those of its base classes included. */
export const jobMethodsOf = (instance: object): readonly JobMethod[] => {
  const found: JobMethod[] = [];
  for (
    let prototype: unknown = Object.getPrototypeOf(instance);
    typeof prototype === "object" && prototype !== null;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    // A class that decorates a method of its base class anew replaces it.
    const own = methods.get(prototype) ?? [];
    found.push(...own.filter(({ key }) => !found.some((method) => method.key === key)));
  }
  return found;
};

type ProcessFunctionOf<TJobTypes, TStateAdapter, TTypeName> = ProcessFunction<
  GetStateAdapterJobId<TStateAdapter>,
  JobTypeDefinitionsOf<TJobTypes>,
  GetStateAdapterTxContext<TStateAdapter>,
  TTypeName & keyof JobTypeDefinitionsOf<TJobTypes> & string
>;

/** The decorators of an application: the compiler checks each method against its job type. */
export interface QueuertDecorators<TJobTypes, TStateAdapter> {
  /** The method is the process function of a job type. */
  readonly ProcessJob: <TTypeName extends keyof JobTypeDefinitionsOf<TJobTypes> & string>(
    typeName: TTypeName,
    options?: ProcessJobOptions,
  ) => <TMethod extends ProcessFunctionOf<TJobTypes, TStateAdapter, TTypeName>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<TMethod>,
  ) => void;
  /** The parameter or property is the client. */
  readonly InjectQueuert: () => ReturnType<typeof Inject>;
}

/**
 * Makes the decorators of an application.
 *
 * @example
 * export const { ProcessJob, InjectQueuert } = createQueuertDecorators<typeof jobTypes, typeof stateAdapter>();
 *
 * @example
 * ```ts
 * const { ProcessJob, InjectQueuert } = createQueuertDecorators<
 *   typeof jobTypes,
 *   typeof stateAdapter
 * >();
 * ```
 */
export const createQueuertDecorators = <TJobTypes, TStateAdapter>(): QueuertDecorators<
  TJobTypes,
  TStateAdapter
> => ({
  ProcessJob:
    (typeName, options = {}) =>
    (target, key) => {
      const own = methods.get(target) ?? [];
      methods.set(target, [...own, { key, typeName, options }]);
    },
  InjectQueuert: () => Inject(QUEUERT),
});
