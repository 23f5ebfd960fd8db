// The names of the injected values.

/** The client of the application. */
export const QUEUERT: unique symbol = Symbol("queuert");

/** The options of the module. */
export const QUEUERT_OPTIONS: unique symbol = Symbol("queuert options");
