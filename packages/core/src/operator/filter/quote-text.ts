/**
 * A text as a value of a filter.
 *
 * @example
 * ```ts
 * const filter = `type:${quoteText(typeName)} status:failed`;
 * ```
 */
export const quoteText = (text: string): string =>
  `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
