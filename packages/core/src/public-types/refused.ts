declare const refused: unique symbol;

/**
 * A place where nothing fits. Where the compiler reports a mistake it prints the type it expected,
 * and so the sentence. An interface, not a string: a string could be given, and calling one is
 * reported as calling a `String`.
 */
export interface Refused<TSentence extends string> {
  readonly [refused]: TSentence;
}
