import { createHash, timingSafeEqual } from "node:crypto";
import { InvalidOptionError } from "../errors.ts";

/** Whether a request may run jobs. */
export type Authorize = (request: Request) => boolean | Promise<boolean>;

/** One secret, or several while one replaces another. A function is called for each request. */
export type BearerSecret =
  string | readonly string[] | (() => string | readonly string[] | undefined) | undefined;

/** A shorter secret can be guessed. */
const lengthMin = 16;

/**
 * Accepts requests with the header `Authorization: Bearer <secret>`. Secrets are compared in constant time.
 *
 * @example
 * const authorize = bearer(process.env["CRON_SECRET"]);
 *
 * @example
 * ```ts
 * const authorize = bearer(() => process.env["CRON_SECRET"]); // read at each request
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const bearer = (secret: BearerSecret): Authorize => {
  const known = typeof secret === "function" ? null : toDigests(secret);
  return (request) => {
    const digests = known ?? toDigests((secret as () => string | undefined)());
    const given = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (given === undefined) return false;
    const digest = digestOf(given);
    // All are compared, so that the time does not tell which one is equal.
    return digests.filter((one) => timingSafeEqual(one, digest)).length > 0;
  };
};

const toDigests = (secret: unknown): readonly Buffer[] => {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const isUsable = (one: unknown): one is string =>
    typeof one === "string" && one.length >= lengthMin && !/\s/.test(one);
  if (secrets.length === 0 || !secrets.every(isUsable)) {
    const remedy = `give ${lengthMin} characters or more without spaces, or a function that returns them`;
    // Its message has the length of a text, and never the text.
    const wrong = secrets.length === 0 ? secret : secrets.find((one) => !isUsable(one));
    throw new InvalidOptionError("secret", wrong, remedy);
  }
  return secrets.map(digestOf);
};

/** Of one length for secrets of any length. */
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
